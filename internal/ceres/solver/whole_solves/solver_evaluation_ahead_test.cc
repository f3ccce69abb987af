// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The minimizer evaluates the Jacobian at a candidate that it predicts to be
// accepted (minimizer/acceptance_predictor.h). Problems with an evaluation
// callback evaluate no such Jacobian, and take the same steps.

#include <functional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation_callback.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct IdleCallback : EvaluationCallback {
  void PrepareForEvaluation(bool, bool) override {}
};

void ExpectSameIterations(const Solver::Summary& a, const Solver::Summary& b) {
  EXPECT_EQ(a.termination_type, b.termination_type);
  ASSERT_EQ(a.iterations.size(), b.iterations.size());
  for (size_t i = 0; i < a.iterations.size(); ++i) {
    const IterationSummary& x = a.iterations[i];
    const IterationSummary& y = b.iterations[i];
    EXPECT_EQ(x.step_is_successful, y.step_is_successful) << i;
    EXPECT_NEAR(x.cost, y.cost, 1e-9 * y.cost) << i;
    EXPECT_NEAR(x.gradient_norm, y.gradient_norm, 1e-9 * y.gradient_norm) << i;
    EXPECT_NEAR(x.trust_region_radius, y.trust_region_radius,
                1e-6 * y.trust_region_radius)
        << i;
  }
}

// solve: with the problem options given.
void ExpectSameSteps(
    const std::function<Solver::Summary(const Problem::Options&)>& solve) {
  IdleCallback callback;
  Problem::Options with_callback;
  with_callback.evaluation_callback = &callback;
  const Solver::Summary step_by_step = solve(with_callback);
  EXPECT_EQ(step_by_step.num_jacobian_evaluations,
            step_by_step.num_successful_steps);
  const Solver::Summary ahead = solve({});
  EXPECT_LT(ahead.num_residual_evaluations,
            step_by_step.num_residual_evaluations)
      << "no Jacobian was evaluated ahead";
  ExpectSameIterations(ahead, step_by_step);
}

TEST(EvaluationAhead, TakesTheSameStepsWhereAllAreTaken) {
  ExpectSameSteps([](const Problem::Options& problem_options) {
    SmallBundle bundle(4, 24, 0.01, problem_options);
    Solver::Options options;
    options.linear_solver_type = DENSE_SCHUR;
    options.linear_solver_ordering = bundle.PointsFirst();
    options.function_tolerance = 1e-12;
    return SolveWith(options, &bundle.problem);
  });
}

// In a valley that bends, steps fail after some were taken, and the Jacobian of
// the point left has to be evaluated anew.
TEST(EvaluationAhead, TakesTheSameStepsWhereGuessesAreWrong) {
  for (const int strategy : {0, 1, 2}) {
    for (const bool nonmonotonic : {false, true}) {
      ExpectSameSteps([&](const Problem::Options& problem_options) {
        Valley valley(problem_options);
        Solver::Options options = DenseQrOptions();
        options.trust_region_strategy_type =
            strategy == 0 ? LEVENBERG_MARQUARDT : DOGLEG;
        options.dogleg_type =
            strategy == 2 ? SUBSPACE_DOGLEG : TRADITIONAL_DOGLEG;
        options.use_nonmonotonic_steps = nonmonotonic;
        options.max_num_iterations = 100;
        const Solver::Summary summary = SolveWith(options, &valley.problem);
        EXPECT_GT(summary.num_unsuccessful_steps, 0);
        EXPECT_EQ(summary.termination_type, CONVERGENCE);
        return summary;
      });
    }
  }
}

TEST(EvaluationAhead, SparesThePassesOverResiduals) {
  SmallBundle bundle(4, 24, 0.01);
  Solver::Options options;
  options.function_tolerance = 1e-10;
  options.linear_solver_type = DENSE_SCHUR;
  options.linear_solver_ordering = bundle.PointsFirst();
  const Solver::Summary summary = SolveWith(options, &bundle.problem);
  ASSERT_EQ(summary.num_unsuccessful_steps, 0);
  ASSERT_GT(summary.num_successful_steps, 4);
  // Before steps are trusted, and at the end, which was foreseen.
  EXPECT_LE(summary.num_residual_evaluations, 3);
  EXPECT_LE(summary.num_jacobian_evaluations, summary.num_successful_steps);
}

// x^2 - 2 = 0, whose derivative cannot be evaluated at one time.
TEST(EvaluationAhead, WhatFailsAheadIsEvaluatedStepByStep) {
  double x = 100.0;
  int num_jacobians = 0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {1},
                       [&](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0] * p[0][0] - 2.0;
                         if (j == nullptr || j[0] == nullptr) return true;
                         j[0][0] = 2.0 * p[0][0];
                         return ++num_jacobians != 4;
                       }),
      nullptr, &x);
  const Solver::Summary summary = SolveWith(DenseQrOptions(), &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_EQ(num_jacobians, summary.num_jacobian_evaluations);
  EXPECT_EQ(summary.num_jacobian_evaluations, summary.num_successful_steps + 1);
  EXPECT_NEAR(x * x, 2.0, 1e-5);
}

}  // namespace
}  // namespace ceres::internal
