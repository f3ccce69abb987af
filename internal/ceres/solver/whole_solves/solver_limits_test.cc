// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// When Solve stops, what its summary then says, and non-monotonic steps, on
// Rosenbrock's valley.

#include <algorithm>
#include <cmath>
#include <vector>

#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

class LimitsTest : public testing::Test {
 protected:
  LimitsTest() {
    options_ = DenseQrOptions();
    options_.max_num_iterations = 1000;
    options_.function_tolerance = 0.0;
    options_.gradient_tolerance = 0.0;
    options_.parameter_tolerance = 0.0;
  }

  Solver::Summary Run() { return SolveWith(options_, &problem_); }

  Valley valley_;
  double (&x_)[2] = valley_.x;
  Problem& problem_ = valley_.problem;
  Solver::Options options_;
};

TEST_F(LimitsTest, IterationsAreCounted) {
  for (const int limit : {0, 1, 5}) {
    x_[0] = -1.2, x_[1] = 1.0;
    options_.max_num_iterations = limit;
    const Solver::Summary summary = Run();
    EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
    EXPECT_THAT(summary.message, HasSubstr("iterations"));
    EXPECT_EQ(summary.iterations.size(), limit + 1u);
    EXPECT_EQ(x_[0] != -1.2, summary.num_successful_steps > 1);
  }
}

TEST_F(LimitsTest, NoTimeMeansNoIteration) {
  options_.max_solver_time_in_seconds = 0.0;
  const Solver::Summary summary = Run();
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("time"));
  EXPECT_EQ(summary.iterations.size(), 1u);
}

TEST_F(LimitsTest, GradientTolerance) {
  options_.gradient_tolerance = 1e-3;
  const Solver::Summary summary = Run();
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("gradient_tolerance"));
  EXPECT_LE(summary.iterations.back().gradient_max_norm, 1e-3);
  EXPECT_GT(summary.iterations[summary.iterations.size() - 2].gradient_max_norm,
            1e-3);
  // The norms are of the analytic gradient J'r.
  const double r0 = 10.0 * (x_[1] - x_[0] * x_[0]);
  const double g0 = -20.0 * x_[0] * r0 - (1.0 - x_[0]);
  const double g1 = 10.0 * r0;
  EXPECT_NEAR(summary.iterations.back().gradient_max_norm,
              std::max(std::abs(g0), std::abs(g1)), 1e-12);
  EXPECT_NEAR(summary.iterations.back().gradient_norm, std::hypot(g0, g1),
              1e-12);
}

TEST_F(LimitsTest, StartAtTheMinimumNeedsNoStep) {
  x_[0] = x_[1] = 1.0;
  const Solver::Summary summary = Run();
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("gradient_tolerance"));
  EXPECT_EQ(summary.num_linear_solves, 0);
  EXPECT_EQ(summary.num_successful_steps, 1);  // iteration 0
  EXPECT_EQ(summary.num_unsuccessful_steps, 0);
}

TEST_F(LimitsTest, FunctionTolerance) {
  double y = 0.0;
  // Two springs: the minimum is not 0.
  problem_.AddResidualBlock(NewSpring(1.0), nullptr, &y);
  problem_.AddResidualBlock(NewSpring(3.0), nullptr, &y);
  options_.function_tolerance = 1e-3;
  const Solver::Summary summary = Run();
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("function_tolerance"));
}

TEST_F(LimitsTest, ParameterTolerance) {
  options_.parameter_tolerance = 1e-2;
  const Solver::Summary summary = Run();
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("parameter_tolerance"));
}

TEST_F(LimitsTest, SmallestTrustRegion) {
  // Every step is refused.
  options_.min_relative_decrease = 1e6;
  options_.min_trust_region_radius = 1e-3;
  const Solver::Summary summary = Run();
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("trust region radius"));
  EXPECT_EQ(summary.num_successful_steps, 1);  // iteration 0
  EXPECT_LE(summary.iterations.back().trust_region_radius, 1e-3);
  EXPECT_EQ(x_[0], -1.2);
}

TEST_F(LimitsTest, TrustRegionGrowsOnlyToItsLimit) {
  options_.initial_trust_region_radius = 1.0;
  options_.max_trust_region_radius = 2.0;
  options_.max_num_iterations = 20;
  for (const IterationSummary& iteration : Run().iterations) {
    EXPECT_LE(iteration.trust_region_radius, 2.0);
  }
}

TEST_F(LimitsTest, SummaryAddsUp) {
  options_.gradient_tolerance = 1e-10;
  options_.initial_trust_region_radius = 1e8;  // a few steps fail
  const Solver::Summary s = Run();
  EXPECT_EQ(s.termination_type, CONVERGENCE);
  ASSERT_EQ(s.iterations.size(), static_cast<size_t>(s.num_successful_steps +
                                                     s.num_unsuccessful_steps));
  EXPECT_GT(s.num_unsuccessful_steps, 0);
  // Each candidate's cost is evaluated once, and Jacobians only where a step
  // was taken or expected to be: then the cost comes along.
  const int num_candidates =
      s.num_successful_steps - 1 + s.num_unsuccessful_steps;
  EXPECT_GE(s.num_jacobian_evaluations, s.num_successful_steps);
  EXPECT_LT(s.num_residual_evaluations, num_candidates);
  EXPECT_LT(s.num_residual_evaluations + s.num_jacobian_evaluations,
            num_candidates + s.num_successful_steps);
  EXPECT_EQ(s.num_linear_solves,
            s.num_successful_steps - 1 + s.num_unsuccessful_steps);
  EXPECT_EQ(s.num_line_search_steps, 0);
  EXPECT_EQ(s.initial_cost, s.iterations.front().cost);
  EXPECT_EQ(s.fixed_cost, 0.0);
  double best = s.initial_cost;
  double linear_time = 0.0;
  double last_time = 0.0;
  for (const IterationSummary& i : s.iterations) {
    EXPECT_EQ(i.iteration, &i - s.iterations.data());
    if (i.step_is_successful) best = std::min(best, i.cost);
    EXPECT_TRUE(i.step_is_valid);
    EXPECT_FALSE(i.step_is_nonmonotonic);
    EXPECT_EQ(i.step_is_successful,
              i.iteration == 0 || i.relative_decrease > 1e-3);
    EXPECT_GE(i.cumulative_time_in_seconds, last_time);
    EXPECT_GE(i.iteration_time_in_seconds, i.step_solver_time_in_seconds);
    last_time = i.cumulative_time_in_seconds;
    linear_time += i.step_solver_time_in_seconds;
  }
  EXPECT_EQ(s.final_cost, best);
  EXPECT_NEAR(s.linear_solver_time_in_seconds, linear_time, 1e-9);
  EXPECT_THAT((std::vector<double>{
                  s.preprocessor_time_in_seconds,
                  s.minimizer_time_in_seconds,
                  s.postprocessor_time_in_seconds,
                  s.linear_solver_time_in_seconds,
                  s.residual_evaluation_time_in_seconds,
                  s.jacobian_evaluation_time_in_seconds,
              }),
              Each(AllOf(Ge(0.0), Le(s.total_time_in_seconds))));
  EXPECT_LE(s.preprocessor_time_in_seconds + s.minimizer_time_in_seconds,
            s.total_time_in_seconds);
  EXPECT_LE(s.linear_solver_time_in_seconds +
                s.residual_evaluation_time_in_seconds +
                s.jacobian_evaluation_time_in_seconds,
            s.minimizer_time_in_seconds);
}

TEST_F(LimitsTest, SummaryIsResetByTheNextSolve) {
  Solver::Summary summary;
  Solve(options_, &problem_, &summary);
  Problem empty;
  Solve(options_, &empty, &summary);
  EXPECT_TRUE(summary.iterations.empty());
  EXPECT_EQ(summary.num_linear_solves, -1);
}

// In a bent valley, monotonic steps keep to the bottom; others cut the corner.
TEST_F(LimitsTest, NonmonotonicStepsMayClimb) {
  options_.use_nonmonotonic_steps = true;
  options_.gradient_tolerance = 1e-10;
  bool climbed = false;
  for (const double start : {-1.2, -2.0, -3.0, -5.0}) {
    x_[0] = start, x_[1] = 1.0;
    const Solver::Summary summary = Run();
    EXPECT_EQ(summary.termination_type, CONVERGENCE);
    EXPECT_NEAR(x_[0], 1.0, 1e-6);
    double best = summary.initial_cost;
    for (const IterationSummary& iteration : summary.iterations) {
      EXPECT_EQ(iteration.step_is_nonmonotonic,
                iteration.step_is_successful && iteration.cost > best);
      if (!iteration.step_is_successful) continue;
      climbed = climbed || iteration.cost_change < 0.0;
      best = std::min(best, iteration.cost);
    }
  }
  EXPECT_TRUE(climbed);
}

TEST_F(LimitsTest, NonmonotonicResultIsTheBestPoint) {
  options_.use_nonmonotonic_steps = true;
  int num_ends_above_the_best = 0;
  for (int run = 0; run < 120; ++run) {
    x_[0] = -5.0 + run / 30, x_[1] = 1.0;
    options_.max_num_iterations = 1 + run % 30;
    const Solver::Summary summary = Run();
    double best = summary.initial_cost;
    double last = summary.initial_cost;
    for (const IterationSummary& i : summary.iterations) {
      if (!i.step_is_successful) continue;
      best = std::min(best, i.cost);
      last = i.cost;
    }
    num_ends_above_the_best += last > best;
    EXPECT_EQ(summary.final_cost, best);
    double cost = 0.0;
    problem_.Evaluate({}, &cost, nullptr, nullptr, nullptr);
    EXPECT_EQ(cost, best) << "the user's memory has that point";
  }
  EXPECT_GT(num_ends_above_the_best, 0) << "else this tests nothing";
}

}  // namespace
}  // namespace ceres::internal
