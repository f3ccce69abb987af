// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/minimizer_setup.h"

#include <optional>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::StrEq;

template <typename Options>
Options WithOtherValues() {
  Options options;
  options.line_search_type = ARMIJO;
  options.max_lbfgs_rank = 7;
  options.gradient_tolerance = 0.22;
  return options;
}

void ExpectOtherValues(const MinimizerOptions& options, const char* name) {
  EXPECT_THAT(options.options_name, StrEq(name));
  EXPECT_EQ(options.line_search_type, ARMIJO);
  EXPECT_EQ(options.max_lbfgs_rank, 7);
  EXPECT_EQ(options.gradient_tolerance, 0.22);
}

// The options are copied by the tables that declare them.
TEST(MinimizerSetup, OptionsOfBothSolversReachTheMinimizer) {
  ExpectOtherValues(ToMinimizerOptions(WithOtherValues<Solver::Options>()),
                    "Solver::Options");
  ExpectOtherValues(
      ToMinimizerOptions(WithOtherValues<GradientProblemSolver::Options>()),
      "GradientProblemSolver::Options");
}

TEST(MinimizerSetup, OptionsOfTheTrustRegionReachTheMinimizer) {
  Solver::Options options;
  options.dogleg_type = SUBSPACE_DOGLEG;
  options.trust_region_problem_dump_directory = "/elsewhere";
  options.trust_region_minimizer_iterations_to_dump = {4, 2};
  const MinimizerOptions reached = ToMinimizerOptions(options);
  EXPECT_EQ(reached.dogleg_type, SUBSPACE_DOGLEG);
  EXPECT_EQ(reached.trust_region_problem_dump_directory, "/elsewhere");
  EXPECT_THAT(reached.trust_region_minimizer_iterations_to_dump,
              ElementsAre(4, 2));
}

#define EXPECT_SAME_DEFAULT(type, name, value) \
  EXPECT_EQ(to.name, from.name) << #name;

TEST(MinimizerSetup, DefaultsOfTheMinimizerAreThoseOfTheSolver) {
  const MinimizerOptions to;
  const Solver::Options from;
  VESTA_SHARED_OPTIONS(EXPECT_SAME_DEFAULT)
  VESTA_TRUST_REGION_OPTIONS(EXPECT_SAME_DEFAULT)
}

#undef EXPECT_SAME_DEFAULT

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
