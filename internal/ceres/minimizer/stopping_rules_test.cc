// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/stopping_rules.h"

#include <limits>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class Answer : public IterationCallback {
 public:
  explicit Answer(CallbackReturnType answer) : answer_(answer) {}
  CallbackReturnType operator()(const IterationSummary&) override {
    ++num_calls;
    return answer_;
  }
  int num_calls = 0;

 private:
  CallbackReturnType answer_;
};

TEST(StoppingRules, FirstCallbackThatStopsIsTheLastCalled) {
  Answer go_on(SOLVER_CONTINUE);
  Answer succeed(SOLVER_TERMINATE_SUCCESSFULLY);
  Answer abort(SOLVER_ABORT);
  EXPECT_FALSE(RunCallbacks({}, {}).has_value());
  EXPECT_FALSE(RunCallbacks({&go_on, &go_on}, {}).has_value());
  EXPECT_EQ(go_on.num_calls, 2);
  EXPECT_EQ(RunCallbacks({&go_on, &succeed, &abort}, {})->type, USER_SUCCESS);
  EXPECT_EQ(abort.num_calls, 0);
  EXPECT_EQ(RunCallbacks({&abort, &succeed}, {})->type, USER_FAILURE);
  EXPECT_EQ(succeed.num_calls, 1);
}

TEST(StoppingRules, LimitsAreInclusive) {
  MinimizerOptions options;
  options.max_num_iterations = 10;
  options.max_solver_time_in_seconds = 2.0;
  EXPECT_FALSE(CheckLimits(options, 9, 1.99).has_value());
  std::optional<Termination> end = CheckLimits(options, 10, 1.0);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->type, NO_CONVERGENCE);
  EXPECT_THAT(end->message, HasSubstr("Iteration 10 "));
  end = CheckLimits(options, 0, 2.0);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->type, NO_CONVERGENCE);
  EXPECT_THAT(end->message, HasSubstr("max_solver_time_in_seconds"));
}

TEST(StoppingRules, TolerancesAreInclusiveAndRelative) {
  MinimizerOptions options;
  options.gradient_tolerance = 1e-3;
  EXPECT_TRUE(CheckGradient(options, 1e-3).has_value());
  EXPECT_FALSE(CheckGradient(options, 1.1e-3).has_value());

  options.parameter_tolerance = 0.5;
  // 0.5 (3.5 + 0.5) = 2.
  EXPECT_TRUE(CheckStepNorm(options, 2.0, 3.5).has_value());
  EXPECT_FALSE(CheckStepNorm(options, 2.1, 3.5).has_value());

  options.function_tolerance = 0.25;
  EXPECT_TRUE(CheckCostChange(options, 1.0, 4.0).has_value());
  EXPECT_TRUE(CheckCostChange(options, -1.0, 4.0).has_value());
  EXPECT_FALSE(CheckCostChange(options, 1.1, 4.0).has_value());
  EXPECT_FALSE(CheckCostChange(options, -1.1, 4.0).has_value());
}

TEST(StoppingRules, AnXThatOverflowsHasNotConverged) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const MinimizerOptions options;
  EXPECT_FALSE(CheckStepNorm(options, kInfinity, kInfinity).has_value());
  EXPECT_FALSE(CheckStepNorm(options, 1.0, kInfinity).has_value());
}

TEST(StoppingRules, NothingConvergesWithNaN) {
  const MinimizerOptions options;
  EXPECT_FALSE(CheckGradient(options, kNaN).has_value());
  EXPECT_FALSE(CheckStepNorm(options, kNaN, 1.0).has_value());
  EXPECT_FALSE(CheckCostChange(options, kNaN, 1.0).has_value());
}

}  // namespace
}  // namespace ceres::internal
