// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with the LINE_SEARCH minimizer: what it refuses, reports and ends with.

#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

Solver::Options LineSearchOptions() {
  Solver::Options options;
  options.minimizer_type = LINE_SEARCH;
  options.max_num_iterations = 500;
  return options;
}

class LineSearchTest : public testing::Test {
 protected:
  Valley valley_;
  Solver::Options options_ = LineSearchOptions();
};

TEST_F(LineSearchTest, EveryIterationDecreasesTheCostAndIsReported) {
  options_.function_tolerance = 1e-14;
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_EQ(summary.minimizer_type, LINE_SEARCH);
  EXPECT_NEAR(valley_.x[0], 1.0, 1e-5);
  EXPECT_NEAR(valley_.x[1], 1.0, 1e-5);
  ASSERT_GT(summary.iterations.size(), 5u);
  EXPECT_EQ(summary.num_successful_steps,
            static_cast<int>(summary.iterations.size()));
  EXPECT_EQ(summary.num_unsuccessful_steps, 0);
  int num_evaluations = 1;
  int num_steps = 0;
  for (size_t i = 1; i < summary.iterations.size(); ++i) {
    const IterationSummary& iteration = summary.iterations[i];
    EXPECT_EQ(iteration.iteration, static_cast<int>(i));
    EXPECT_TRUE(iteration.step_is_successful);
    EXPECT_GT(iteration.cost_change, 0.0);
    EXPECT_NEAR(iteration.cost,
                summary.iterations[i - 1].cost - iteration.cost_change,
                1e-14 * summary.initial_cost);
    EXPECT_GT(iteration.step_size, 0.0);
    EXPECT_GT(iteration.step_norm, 0.0);
    EXPECT_EQ(iteration.line_search_iterations + 1,
              iteration.line_search_function_evaluations);
    num_evaluations += iteration.line_search_gradient_evaluations;
    num_steps += iteration.line_search_iterations;
  }
  EXPECT_EQ(summary.num_jacobian_evaluations, num_evaluations);
  EXPECT_EQ(summary.num_line_search_steps, num_steps);
  EXPECT_EQ(summary.final_cost, summary.iterations.back().cost);
  EXPECT_GT(summary.line_search_polynomial_minimization_time_in_seconds, 0.0);
  EXPECT_GE(summary.line_search_total_time_in_seconds,
            summary.line_search_gradient_evaluation_time_in_seconds +
                summary.line_search_polynomial_minimization_time_in_seconds);
  EXPECT_EQ(summary.num_linear_solves, -1) << "there is no linear solver";
}

TEST_F(LineSearchTest, ArmijoEvaluatesGradientsOnlyWhereItStays) {
  options_.line_search_direction_type = NONLINEAR_CONJUGATE_GRADIENT;
  options_.line_search_type = ARMIJO;
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_TRUE(summary.IsSolutionUsable());
  EXPECT_EQ(summary.num_jacobian_evaluations,
            static_cast<int>(summary.iterations.size()));
  EXPECT_GE(summary.num_residual_evaluations,
            summary.num_jacobian_evaluations - 1);
}

TEST_F(LineSearchTest, LimitsAndTolerancesEndIt) {
  options_.max_num_iterations = 3;
  Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("max_num_iterations"));
  EXPECT_EQ(summary.iterations.size(), 4u);

  options_.max_num_iterations = 500;
  options_.gradient_tolerance = 1e-4;
  options_.function_tolerance = 0.0;
  summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("gradient_tolerance"));
  EXPECT_LE(summary.iterations.back().gradient_max_norm, 1e-4);

  options_.max_solver_time_in_seconds = 0.0;
  options_.gradient_tolerance = 0.0;
  summary = SolveWith(options_, &valley_.problem);
  EXPECT_THAT(summary.message, HasSubstr("max_solver_time_in_seconds"));
}

TEST_F(LineSearchTest, StepsThatCannotBeEvaluatedAreShortened) {
  // Nothing right of 0.5, where the first steps along the gradient end.
  double x = -100.0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {1},
                       [](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0] - 0.4;
                         if (j != nullptr && j[0] != nullptr) j[0][0] = 1.0;
                         return p[0][0] <= 0.5;
                       }),
      nullptr, &x);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_NEAR(x, 0.4, 1e-6);
}

TEST_F(LineSearchTest, StepsWithoutAGradientAreShortened) {
  for (const LineSearchType type : {ARMIJO, WOLFE}) {
    options_.line_search_type = type;
    options_.line_search_direction_type = STEEPEST_DESCENT;
    // The first step ends at 1.4 - 1, where there is no gradient.
    double x = 1.4;
    Problem problem;
    problem.AddResidualBlock(
        new FunctionCost(1, {1},
                         [](double const* const* p, double* r, double** j) {
                           r[0] = 0.5 * (p[0][0] - 0.6) + 10.0;
                           if (j != nullptr && j[0] != nullptr) j[0][0] = 0.5;
                           return j == nullptr || p[0][0] > 0.5;
                         }),
        nullptr, &x);
    options_.max_num_iterations = 3;
    const Solver::Summary summary = SolveWith(options_, &problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_LT(x, 1.0);
    EXPECT_GT(x, 0.5);
  }
}

TEST_F(LineSearchTest, StartThatCannotBeEvaluatedFails) {
  valley_.problem.AddResidualBlock(
      new FunctionCost(1, {2}, [](auto, auto, auto) { return false; }), nullptr,
      valley_.x);
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("at the initial point"));
  EXPECT_THAT(summary.message, HasSubstr("returned false"));
  EXPECT_TRUE(valley_.IsAtStart());
}

// No step: the result says so, and which block is to blame.
TEST_F(LineSearchTest, BlockThatCanBeEvaluatedAtTheStartOnlyIsNamed) {
  int num_calls = 0;
  valley_.problem.AddResidualBlock(
      new FunctionCost(1, {2},
                       [&](auto, double* r, double** j) {
                         r[0] = 1.0;
                         if (j != nullptr && j[0] != nullptr) {
                           j[0][0] = j[0][1] = 0.0;
                         }
                         return ++num_calls == 1;
                       }),
      nullptr, valley_.x);
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("Residual block 1"));
  EXPECT_THAT(summary.message, HasSubstr("returned false"));
  EXPECT_THAT(summary.message, testing::Not(HasSubstr("Check the derivatives")))
      << "no value was compared";
  EXPECT_TRUE(valley_.IsAtStart());
}

TEST_F(LineSearchTest, BoundsAreRefused) {
  valley_.problem.SetParameterUpperBound(valley_.x, 0, 10.0);
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("has bounds"));
  EXPECT_TRUE(valley_.IsAtStart());
}

// A gradient of the wrong sign: nothing that it promises comes true.
TEST_F(LineSearchTest, WrongDerivativesAreNamedAsTheLikelyReason) {
  double x = 1.0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {1},
                       [](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0];
                         if (j != nullptr && j[0] != nullptr) j[0][0] = -1.0;
                         return true;
                       }),
      nullptr, &x);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
  EXPECT_THAT(summary.message, HasSubstr("Check the derivatives"));
  EXPECT_THAT(summary.message, HasSubstr("check_gradients"));
  EXPECT_EQ(x, 1.0);
}

// Tolerances that cannot be met end at the minimum that doubles can tell.
TEST_F(LineSearchTest, UnreachableTolerancesEndAtTheMinimum) {
  // 1 + Rosenbrock's residuals: a minimum that is not zero.
  double one = 0.0;
  valley_.problem.AddResidualBlock(NewSpring(1.0), nullptr, &one);
  valley_.problem.AddResidualBlock(NewSpring(-1.0), nullptr, &one);
  options_.function_tolerance = 0.0;
  options_.gradient_tolerance = 0.0;
  options_.parameter_tolerance = 0.0;
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(valley_.x[0], 1.0, 1e-5);
  EXPECT_NEAR(valley_.x[1], 1.0, 1e-5);
}

TEST_F(LineSearchTest, ReportNamesDirectionAndSearch) {
  options_.line_search_direction_type = NONLINEAR_CONJUGATE_GRADIENT;
  options_.nonlinear_conjugate_gradient_type = POLAK_RIBIERE;
  const std::string report = SolveWith(options_, &valley_.problem).FullReport();
  EXPECT_THAT(report, HasSubstr("LINE_SEARCH"));
  EXPECT_THAT(report,
              HasSubstr("NONLINEAR_CONJUGATE_GRADIENT (POLAK_RIBIERE)"));
  EXPECT_THAT(report, HasSubstr("CUBIC WOLFE"));
  EXPECT_THAT(report, testing::Not(HasSubstr("Linear solver")));
}

TEST_F(LineSearchTest, CallbacksSeeTheStateIfAskedFor) {
  struct Recorder : IterationCallback {
    CallbackReturnType operator()(const IterationSummary& summary) override {
      seen.push_back(x[0]);
      return summary.iteration == 4 ? SOLVER_ABORT : SOLVER_CONTINUE;
    }
    const double* x;
    std::vector<double> seen;
  };
  Recorder recorder;
  recorder.x = valley_.x;
  options_.update_state_every_iteration = true;
  options_.callbacks = {&recorder};
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, USER_FAILURE);
  ASSERT_EQ(recorder.seen.size(), 5u);
  EXPECT_EQ(recorder.seen[0], -1.2);
  EXPECT_NE(recorder.seen[1], -1.2);
  EXPECT_TRUE(valley_.IsAtStart());
}

TEST(SolveByLineSearch, StaysOnManifoldsAndSkipsConstants) {
  double q[4] = {1.0, 0.0, 0.0, 0.0};
  double scale = 1.0;
  const double target[4] = {0.5, 0.5, -0.5, 0.5};
  Problem problem;
  problem.AddResidualBlock(
      NewCost<4, 4, 1>([&target](const auto* q, const auto* scale, auto* r) {
        for (int i = 0; i < 4; ++i) r[i] = scale[0] * q[i] - target[i];
      }),
      nullptr, q, &scale);
  problem.SetManifold(q, new QuaternionManifold);
  problem.SetParameterBlockConstant(&scale);
  Solver::Options options = LineSearchOptions();
  options.function_tolerance = 1e-14;
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_LT(summary.final_cost, 1e-14);
  EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0,
              1e-14);
  EXPECT_EQ(scale, 1.0);
}

}  // namespace
}  // namespace ceres::internal
