// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/minimizer_setup.h"

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::StrEq;

// Sets one option to a value that is not its default, and expects this value in
// the options of the minimizer.
template <typename Options, typename T>
void ExpectReaches(const char* name, T Options::*from, T MinimizerOptions::*to,
                   std::decay_t<T> value) {
  Options options;
  EXPECT_NE(options.*from, value) << name;
  options.*from = value;
  EXPECT_EQ(ToMinimizerOptions(options).*to, value) << name;
}

#define EXPECT_REACHES(Options, field, value) \
  ExpectReaches(#field, &Options::field, &MinimizerOptions::field, value)

template <typename Options>
void ExpectSharedFieldsReachTheMinimizer() {
  EXPECT_REACHES(Options, line_search_direction_type,
                 NONLINEAR_CONJUGATE_GRADIENT);
  EXPECT_REACHES(Options, line_search_type, ARMIJO);
  EXPECT_REACHES(Options, nonlinear_conjugate_gradient_type, HESTENES_STIEFEL);
  EXPECT_REACHES(Options, max_lbfgs_rank, 7);
  EXPECT_REACHES(Options, use_approximate_eigenvalue_bfgs_scaling, true);
  EXPECT_REACHES(Options, line_search_interpolation_type, BISECTION);
  EXPECT_REACHES(Options, min_line_search_step_size, 1e-3);
  EXPECT_REACHES(Options, line_search_sufficient_function_decrease, 0.11);
  EXPECT_REACHES(Options, max_line_search_step_contraction, 0.12);
  EXPECT_REACHES(Options, min_line_search_step_contraction, 0.13);
  EXPECT_REACHES(Options, max_num_line_search_step_size_iterations, 14);
  EXPECT_REACHES(Options, max_num_line_search_direction_restarts, 15);
  EXPECT_REACHES(Options, line_search_sufficient_curvature_decrease, 0.16);
  EXPECT_REACHES(Options, max_line_search_step_expansion, 17.0);
  EXPECT_REACHES(Options, max_num_iterations, 18);
  EXPECT_REACHES(Options, max_solver_time_in_seconds, 19.0);
  EXPECT_REACHES(Options, function_tolerance, 0.21);
  EXPECT_REACHES(Options, gradient_tolerance, 0.22);
  EXPECT_REACHES(Options, parameter_tolerance, 0.23);
}

TEST(MinimizerSetup, OptionsOfBothSolversReachTheMinimizer) {
  ExpectSharedFieldsReachTheMinimizer<Solver::Options>();
  ExpectSharedFieldsReachTheMinimizer<GradientProblemSolver::Options>();
  EXPECT_THAT(ToMinimizerOptions(Solver::Options()).options_name,
              StrEq("Solver::Options"));
  EXPECT_THAT(ToMinimizerOptions(GradientProblemSolver::Options()).options_name,
              StrEq("GradientProblemSolver::Options"));
}

TEST(MinimizerSetup, OptionsOfTheTrustRegionReachTheMinimizer) {
  using Options = Solver::Options;
  EXPECT_REACHES(Options, trust_region_strategy_type, DOGLEG);
  EXPECT_REACHES(Options, dogleg_type, SUBSPACE_DOGLEG);
  EXPECT_REACHES(Options, use_nonmonotonic_steps, true);
  EXPECT_REACHES(Options, max_consecutive_nonmonotonic_steps, 3);
  EXPECT_REACHES(Options, initial_trust_region_radius, 11.0);
  EXPECT_REACHES(Options, max_trust_region_radius, 12.0);
  EXPECT_REACHES(Options, min_trust_region_radius, 13.0);
  EXPECT_REACHES(Options, min_relative_decrease, 0.14);
  EXPECT_REACHES(Options, min_lm_diagonal, 15.0);
  EXPECT_REACHES(Options, max_lm_diagonal, 16.0);
  EXPECT_REACHES(Options, max_num_consecutive_invalid_steps, 17);
  EXPECT_REACHES(Options, eta, 0.18);
  EXPECT_REACHES(Options, jacobi_scaling, false);
  EXPECT_REACHES(Options, inner_iteration_tolerance, 0.19);
  EXPECT_REACHES(Options, trust_region_problem_dump_directory, "/elsewhere");
  EXPECT_REACHES(Options, trust_region_problem_dump_format_type, CONSOLE);
  const std::vector<int> iterations = {4, 2};
  EXPECT_REACHES(Options, trust_region_minimizer_iterations_to_dump,
                 iterations);
}

#undef EXPECT_REACHES

TEST(MinimizerSetup, CallbacksComeAfterTheProgressTable) {
  class Callback final : public IterationCallback {
    CallbackReturnType operator()(const IterationSummary&) override {
      return SOLVER_CONTINUE;
    }
  } callback;
  Solver::Options options;
  options.callbacks = {&callback};
  options.update_state_every_iteration = true;
  options.logging_type = SILENT;
  options.minimizer_progress_to_stdout = true;
  std::optional<ProgressTable> table;
  MinimizerSetup silent;
  SetCallbacks(options, &table, &silent);
  EXPECT_FALSE(table.has_value());
  EXPECT_TRUE(silent.update_user_state);
  EXPECT_THAT(silent.callbacks, ElementsAre(&callback));

  options.logging_type = PER_MINIMIZER_ITERATION;
  MinimizerSetup with_table;
  SetCallbacks(options, &table, &with_table);
  ASSERT_TRUE(table.has_value());
  EXPECT_THAT(with_table.callbacks, ElementsAre(&*table, &callback));
}

TEST(MinimizerSetup, IterationsKeepTheirMemoryFromSummaryToSummary) {
  Solver::Summary summary;
  summary.iterations.resize(20);
  const IterationSummary* const memory = summary.iterations.data();
  MinimizerResult result(std::move(summary.iterations));
  EXPECT_TRUE(result.iterations.empty());
  result.iterations.resize(3);
  MoveToSummary(std::move(result), &summary);
  EXPECT_EQ(summary.iterations.size(), 3u);
  EXPECT_EQ(summary.iterations.data(), memory);
}

}  // namespace
}  // namespace ceres::internal
