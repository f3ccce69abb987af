// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/minimizer_setup.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::StrEq;

// Values that no field has by default.
template <typename Options>
Options OptionsThatSharedFieldsTell() {
  Options o;
  o.line_search_direction_type = NONLINEAR_CONJUGATE_GRADIENT;
  o.line_search_type = ARMIJO;
  o.nonlinear_conjugate_gradient_type = HESTENES_STIEFEL;
  o.max_lbfgs_rank = 7;
  o.use_approximate_eigenvalue_bfgs_scaling = true;
  o.line_search_interpolation_type = BISECTION;
  o.min_line_search_step_size = 1e-3;
  o.line_search_sufficient_function_decrease = 0.11;
  o.max_line_search_step_contraction = 0.12;
  o.min_line_search_step_contraction = 0.13;
  o.max_num_line_search_step_size_iterations = 14;
  o.max_num_line_search_direction_restarts = 15;
  o.line_search_sufficient_curvature_decrease = 0.16;
  o.max_line_search_step_expansion = 17.0;
  o.max_num_iterations = 18;
  o.max_solver_time_in_seconds = 19.0;
  o.function_tolerance = 0.21;
  o.gradient_tolerance = 0.22;
  o.parameter_tolerance = 0.23;
  return o;
}

void ExpectSharedFields(const MinimizerOptions& o) {
  EXPECT_EQ(o.line_search_direction_type, NONLINEAR_CONJUGATE_GRADIENT);
  EXPECT_EQ(o.line_search_type, ARMIJO);
  EXPECT_EQ(o.nonlinear_conjugate_gradient_type, HESTENES_STIEFEL);
  EXPECT_EQ(o.max_lbfgs_rank, 7);
  EXPECT_TRUE(o.use_approximate_eigenvalue_bfgs_scaling);
  EXPECT_EQ(o.line_search_interpolation_type, BISECTION);
  EXPECT_EQ(o.min_line_search_step_size, 1e-3);
  EXPECT_EQ(o.line_search_sufficient_function_decrease, 0.11);
  EXPECT_EQ(o.max_line_search_step_contraction, 0.12);
  EXPECT_EQ(o.min_line_search_step_contraction, 0.13);
  EXPECT_EQ(o.max_num_line_search_step_size_iterations, 14);
  EXPECT_EQ(o.max_num_line_search_direction_restarts, 15);
  EXPECT_EQ(o.line_search_sufficient_curvature_decrease, 0.16);
  EXPECT_EQ(o.max_line_search_step_expansion, 17.0);
  EXPECT_EQ(o.max_num_iterations, 18);
  EXPECT_EQ(o.max_solver_time_in_seconds, 19.0);
  EXPECT_EQ(o.function_tolerance, 0.21);
  EXPECT_EQ(o.gradient_tolerance, 0.22);
  EXPECT_EQ(o.parameter_tolerance, 0.23);
}

TEST(MinimizerSetup, OptionsOfBothSolversReachTheMinimizer) {
  const MinimizerOptions of_solver =
      ToMinimizerOptions(OptionsThatSharedFieldsTell<Solver::Options>());
  ExpectSharedFields(of_solver);
  EXPECT_THAT(of_solver.options_name, StrEq("Solver::Options"));
  const MinimizerOptions of_gradient_solver = ToMinimizerOptions(
      OptionsThatSharedFieldsTell<GradientProblemSolver::Options>());
  ExpectSharedFields(of_gradient_solver);
  EXPECT_THAT(of_gradient_solver.options_name,
              StrEq("GradientProblemSolver::Options"));
}

TEST(MinimizerSetup, OptionsOfTheTrustRegionReachTheMinimizer) {
  Solver::Options o;
  o.trust_region_strategy_type = DOGLEG;
  o.dogleg_type = SUBSPACE_DOGLEG;
  o.use_nonmonotonic_steps = true;
  o.max_consecutive_nonmonotonic_steps = 3;
  o.initial_trust_region_radius = 11.0;
  o.max_trust_region_radius = 12.0;
  o.min_trust_region_radius = 13.0;
  o.min_relative_decrease = 0.14;
  o.min_lm_diagonal = 15.0;
  o.max_lm_diagonal = 16.0;
  o.max_num_consecutive_invalid_steps = 17;
  o.eta = 0.18;
  o.jacobi_scaling = false;
  o.inner_iteration_tolerance = 0.19;
  o.trust_region_minimizer_iterations_to_dump = {4, 2};
  o.trust_region_problem_dump_directory = "/elsewhere";
  o.trust_region_problem_dump_format_type = CONSOLE;
  const MinimizerOptions to = ToMinimizerOptions(o);
  EXPECT_EQ(to.trust_region_strategy_type, DOGLEG);
  EXPECT_EQ(to.dogleg_type, SUBSPACE_DOGLEG);
  EXPECT_TRUE(to.use_nonmonotonic_steps);
  EXPECT_EQ(to.max_consecutive_nonmonotonic_steps, 3);
  EXPECT_EQ(to.initial_trust_region_radius, 11.0);
  EXPECT_EQ(to.max_trust_region_radius, 12.0);
  EXPECT_EQ(to.min_trust_region_radius, 13.0);
  EXPECT_EQ(to.min_relative_decrease, 0.14);
  EXPECT_EQ(to.min_lm_diagonal, 15.0);
  EXPECT_EQ(to.max_lm_diagonal, 16.0);
  EXPECT_EQ(to.max_num_consecutive_invalid_steps, 17);
  EXPECT_EQ(to.eta, 0.18);
  EXPECT_FALSE(to.jacobi_scaling);
  EXPECT_EQ(to.inner_iteration_tolerance, 0.19);
  EXPECT_THAT(to.trust_region_minimizer_iterations_to_dump, ElementsAre(4, 2));
  EXPECT_THAT(to.trust_region_problem_dump_directory, StrEq("/elsewhere"));
  EXPECT_EQ(to.trust_region_problem_dump_format_type, CONSOLE);
}

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
