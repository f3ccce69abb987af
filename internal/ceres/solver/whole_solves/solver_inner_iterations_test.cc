// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with inner iterations.

#include <chrono>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "ceres/evaluation_callback.h"
#include "ceres/minimizer/coordinate_descent.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// residual = a x + b y - c
CostFunction* NewPlane(double a, double b, double c) {
  return NewCost<1, 1, 1>([=](const auto* x, const auto* y, auto* r) {
    r[0] = a * x[0] + b * y[0] - c;
  });
}

// Sweeps over groups of column blocks of the whole problem.
void Sweep(Problem* problem, const std::vector<std::vector<int>>& groups,
           std::vector<double>* state) {
  const ProblemImpl& impl = *problem->mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  CoordinateDescent(program, groups, 1e9, {}, std::chrono::steady_clock::now())
      .Minimize(state->data());
}

// 1/2 (x + y - 3)^2 + 1/2 (x - y - 1)^2 + 1/2 (2 x - 2)^2, block by block.
TEST(CoordinateDescent, SweepMinimizesOverOneBlockAfterTheOther) {
  double x = 10.0;
  double y = 20.0;
  Problem problem;
  problem.AddResidualBlock(NewPlane(1.0, 1.0, 3.0), nullptr, &x, &y);
  problem.AddResidualBlock(NewPlane(1.0, -1.0, 1.0), nullptr, &x, &y);
  problem.AddResidualBlock(NewSpring(1.0, 2.0), nullptr, &x);
  std::vector<double> state = {10.0, 20.0};
  Sweep(&problem, {{0}, {1}}, &state);
  // 6 x = (3 - y) + (1 + y) + 4 = 8; 2 y = (3 - x) + (x - 1) = 2.
  // To the default tolerances.
  EXPECT_NEAR(state[0], 8.0 / 6.0, 2e-3);
  EXPECT_NEAR(state[1], 1.0, 2e-3);
  EXPECT_EQ(x, 10.0) << "the user's memory is not touched";
}

TEST(CoordinateDescent, KeepsToBoundsAndManifolds) {
  double x = 0.0;
  double y[2] = {0.0, 7.0};
  Problem problem;
  problem.AddResidualBlock(NewSpring(5.0), nullptr, &x);
  problem.SetParameterUpperBound(&x, 0, 2.0);
  problem.AddResidualBlock(NewSpring<2>(3.0), nullptr, y);
  problem.SetManifold(y, new SubsetManifold(2, {1}));
  std::vector<double> state = {0.0, 0.0, 7.0};
  Sweep(&problem, {{0, 1}}, &state);
  EXPECT_EQ(state[0], 2.0);
  EXPECT_NEAR(state[1], 3.0, 1e-6);
  EXPECT_EQ(state[2], 7.0);
}

class InnerIterationsTest : public testing::Test {
 protected:
  InnerIterationsTest() {
    options_.linear_solver_type = DENSE_SCHUR;
    options_.use_inner_iterations = true;
    options_.inner_iteration_tolerance = 0.0;
  }
  Solver::Options options_;
};

TEST_F(InnerIterationsTest, SaveOuterIterationsAndAreReported) {
  SmallBundle plain(4, 24, 0.01);
  options_.function_tolerance = 1e-12;
  Solver::Options without = options_;
  without.use_inner_iterations = false;
  const Solver::Summary reference = SolveWith(without, &plain.problem);
  SmallBundle bundle(4, 24, 0.01);
  options_.inner_iteration_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_TRUE(summary.inner_iterations_given);
  EXPECT_TRUE(summary.inner_iterations_used);
  EXPECT_THAT(summary.inner_iteration_ordering_given, ElementsAre(24, 4));
  EXPECT_THAT(summary.inner_iteration_ordering_used, ElementsAre(24, 3))
      << "without the constant camera";
  EXPECT_GT(summary.num_inner_iteration_steps, 0);
  EXPECT_LE(summary.num_inner_iteration_steps,
            static_cast<int>(summary.iterations.size()));
  EXPECT_GT(summary.inner_iteration_time_in_seconds, 0.0);
  EXPECT_NEAR(summary.final_cost, reference.final_cost,
              1e-6 * reference.final_cost);
  ASSERT_GT(summary.iterations.size(), 1u);
  EXPECT_LE(summary.iterations[1].cost, reference.iterations[1].cost * 1.01);
  EXPECT_THAT(summary.FullReport(), HasSubstr("Inner iteration"));
  EXPECT_FALSE(reference.inner_iterations_used);
  EXPECT_EQ(reference.num_inner_iteration_steps, -1);
  EXPECT_EQ(reference.inner_iteration_time_in_seconds, -1.0);
}

TEST_F(InnerIterationsTest, StopWhenTheyGainLittle) {
  SmallBundle bundle;
  options_.inner_iteration_tolerance = 1.0;  // never gained
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_LT(summary.final_cost, 1e-10) << summary.FullReport();
  EXPECT_EQ(summary.num_inner_iteration_steps, 1);
}

// The trust region is so small that inner iterations make all of the progress:
// the change of the cost is their gain. A third block costs 1e12, so that the
// gains soon are smaller than what a sum over many blocks would lose.
TEST_F(InnerIterationsTest, RoundingOfTheCostIsNoGain) {
  constexpr double kRounding = 1e3 * std::numeric_limits<double>::epsilon();
  for (int seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    double x = 10.0;
    double y = 20.0;
    double z = 0.0;
    Problem problem;
    problem.AddResidualBlock(NewSpring(1e6), nullptr, &z);
    problem.AddResidualBlock(NewSpring(-1e6), nullptr, &z);
    for (int i = 0; i < 10; ++i) {
      const double a = uniform(random);
      const double b = uniform(random);
      problem.AddResidualBlock(NewPlane(a, b, 1.0 + uniform(random)), nullptr,
                               &x, &y);
    }
    options_.linear_solver_type = DENSE_QR;
    options_.initial_trust_region_radius = 1e-16;
    options_.max_trust_region_radius = 1e-16;
    options_.function_tolerance = 0.0;
    options_.max_num_iterations = 200;
    const Solver::Summary summary = SolveWith(options_, &problem);
    int num_gains = 0;
    for (const IterationSummary& iteration : summary.iterations) {
      num_gains += iteration.cost_change > kRounding * iteration.cost;
    }
    EXPECT_GT(num_gains, 0);
    EXPECT_EQ(summary.num_inner_iteration_steps, num_gains + 1)
        << summary.FullReport();
  }
}

TEST_F(InnerIterationsTest, UserMemoryChangesOnlyAtTheEnd) {
  struct Watch : IterationCallback {
    CallbackReturnType operator()(const IterationSummary&) override {
      changed |= bundle->points != bundle->start_points;
      return SOLVER_CONTINUE;
    }
    SmallBundle* bundle;
    bool changed = false;
  };
  SmallBundle bundle;
  Watch watch;
  watch.bundle = &bundle;
  options_.callbacks = {&watch};
  EXPECT_TRUE(SolveWith(options_, &bundle.problem).IsSolutionUsable());
  EXPECT_FALSE(watch.changed);
  EXPECT_NE(bundle.points, bundle.start_points);
}

TEST_F(InnerIterationsTest, SingleBlockIsSolvedWithout) {
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  options_.linear_solver_type = DENSE_QR;
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_NEAR(x, 1.0, 1e-6);
  EXPECT_TRUE(summary.inner_iterations_given);
  EXPECT_FALSE(summary.inner_iterations_used);
}

TEST_F(InnerIterationsTest, EvaluationCallbackFails) {
  struct Nothing : EvaluationCallback {
    void PrepareForEvaluation(bool, bool) override {}
  };
  Nothing callback;
  Problem::Options problem_options;
  problem_options.evaluation_callback = &callback;
  SmallBundle bundle(3, 10, 0.0, problem_options);
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("EvaluationCallback"));
  EXPECT_EQ(bundle.points, bundle.start_points);
}

TEST_F(InnerIterationsTest, ExceptionsReachTheCaller) {
  double x = 10.0;
  double y = 20.0;
  Problem problem;
  problem.AddResidualBlock(NewPlane(1.0, 1.0, 3.0), nullptr, &x, &y);
  problem.AddResidualBlock(NewSpring(2.0), nullptr, &y);
  int num_calls = 0;
  problem.AddResidualBlock(NewCost<1, 1>([&](const auto* x, auto* r) {
                             // The start, the first candidate, then inside.
                             if (++num_calls > 2) throw 7;
                             r[0] = x[0] - 4.0;
                           }),
                           nullptr, &x);
  options_.linear_solver_type = DENSE_QR;
  EXPECT_THROW(SolveWith(options_, &problem), int);
  EXPECT_EQ(x, 10.0);
  EXPECT_EQ(y, 20.0);
}

}  // namespace
}  // namespace ceres::internal
