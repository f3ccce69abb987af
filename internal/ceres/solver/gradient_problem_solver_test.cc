// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/gradient_problem_solver.h"

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/autodiff_first_order_function.h"
#include "ceres/manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using Options = GradientProblemSolver::Options;
using Summary = GradientProblemSolver::Summary;

// (1 - x)^2 + 100 (y - x^2)^2
struct Rosenbrock {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    if (++num_calls > max_calls) throw std::domain_error("enough");
    const T t = x[1] - x[0] * x[0];
    cost[0] = (1.0 - x[0]) * (1.0 - x[0]) + 100.0 * t * t;
    return true;
  }
  int max_calls = std::numeric_limits<int>::max();
  mutable int num_calls = 0;
};

FirstOrderFunction* NewRosenbrock(const Rosenbrock& functor = {}) {
  return new AutoDiffFirstOrderFunction<Rosenbrock, 2>(new Rosenbrock(functor));
}

// A linear function.
struct WeightedSum {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    cost[0] = x[0] + 2.0 * x[1] - 2.0 * x[2] + 4.0 * x[3];
    return true;
  }
};

Summary SolveFrom(const Options& options, const GradientProblem& problem,
                  double* x) {
  Summary summary;
  Solve(options, problem, x, &summary);
  return summary;
}

class GradientProblemSolverTest : public testing::Test {
 protected:
  Summary Run(const Options& options) {
    return SolveFrom(options, problem_, x_);
  }

  const GradientProblem problem_{NewRosenbrock()};
  double x_[2] = {-1.2, 1.0};
};

TEST(GradientProblemSolver, FollowsRosenbrocksValley) {
  for (const auto type :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, BFGS, LBFGS}) {
    const GradientProblem problem(NewRosenbrock());
    double x[] = {-1.2, 1.0};
    Options options;
    options.line_search_direction_type = type;
    options.max_num_iterations = 20000;
    options.function_tolerance = 1e-13;
    options.gradient_tolerance = 1e-6;
    options.parameter_tolerance = 0.0;
    const Summary summary = SolveFrom(options, problem, x);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_NEAR(x[0], 1.0, 1e-2);
    EXPECT_NEAR(x[1], 1.0, 2e-2);
    EXPECT_DOUBLE_EQ(summary.initial_cost, 24.2);
    EXPECT_LT(summary.final_cost, 1e-5);
    EXPECT_EQ(summary.final_cost, summary.iterations.back().cost);
    EXPECT_GT(summary.num_gradient_evaluations, 1);
    EXPECT_GE(summary.num_cost_evaluations, summary.num_gradient_evaluations);
    EXPECT_EQ(summary.num_parameters, 2);
    EXPECT_EQ(summary.num_tangent_parameters, 2);
    EXPECT_EQ(summary.line_search_direction_type, type);
    EXPECT_EQ(summary.max_lbfgs_rank, 20);
    EXPECT_GT(summary.line_search_polynomial_minimization_time_in_seconds, 0.0);
    EXPECT_GE(summary.total_time_in_seconds,
              summary.line_search_polynomial_minimization_time_in_seconds);
  }
}

// The value on the unit sphere that is least is -w / |w|; quaternions are one.
TEST(GradientProblemSolver, StaysOnTheManifold) {
  const GradientProblem problem(
      std::make_unique<AutoDiffFirstOrderFunction<WeightedSum, 4>>(
          new WeightedSum),
      std::make_unique<QuaternionManifold>());
  double x[] = {1.0, 0.0, 0.0, 0.0};
  Options options;
  options.function_tolerance = 1e-15;
  const Summary summary = SolveFrom(options, problem, x);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(x[0], -0.2, 1e-6);
  EXPECT_NEAR(x[1], -0.4, 1e-6);
  EXPECT_NEAR(x[2], 0.4, 1e-6);
  EXPECT_NEAR(x[3], -0.8, 1e-6);
  EXPECT_NEAR(summary.final_cost, -5.0, 1e-10);
  EXPECT_EQ(summary.num_parameters, 4);
  EXPECT_EQ(summary.num_tangent_parameters, 3);
}

// Rosenbrock's function plus a constant.
struct ShiftedRosenbrock {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    Rosenbrock()(x, cost);
    *cost += offset;
    return true;
  }
  double offset;
};

// Log-likelihoods are often negative.
TEST(GradientProblemSolver, FunctionToleranceCountsTheSizeOfNegativeCosts) {
  for (const auto type : {STEEPEST_DESCENT, BFGS, LBFGS}) {
    for (const double offset : {1e3, 1e6}) {
      for (const double sign : {-1.0, 1.0}) {
        const GradientProblem problem(
            new AutoDiffFirstOrderFunction<ShiftedRosenbrock, 2>(
                new ShiftedRosenbrock{sign * offset}));
        double x[] = {-1.2, 1.0};
        Options options;
        options.line_search_direction_type = type;
        options.function_tolerance = 1e-3;
        options.gradient_tolerance = 0.0;
        options.parameter_tolerance = 0.0;
        const Summary summary = SolveFrom(options, problem, x);
        EXPECT_EQ(summary.termination_type, CONVERGENCE);
        EXPECT_THAT(summary.message, HasSubstr("function_tolerance"));
        const IterationSummary& last = summary.iterations.back();
        EXPECT_LE(last.cost_change, 1e-3 * std::abs(last.cost) * 1.01);
        EXPECT_LE(summary.iterations.size(), 30u);
      }
    }
  }
}

// The minimum is at 5e12.
struct FlatParabola {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    cost[0] = (1e-12 * x[0] - 5.0) * (1e-12 * x[0] - 5.0);
    return true;
  }
};

// A gradient of 1e-11 says nothing where the unit of the parameter is small.
TEST(GradientProblemSolver, SmallGradientAloneDoesNotEndIt) {
  for (const double start : {0.0, 1e12, -1e10}) {
    const GradientProblem problem(
        new AutoDiffFirstOrderFunction<FlatParabola, 1>(new FlatParabola));
    double x = start;
    const Summary summary = SolveFrom({}, problem, &x);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_NEAR(x, 5e12, 5e7);
  }
}

TEST(GradientProblemSolver, GradientOfWrongSignFails) {
  class Wrong final : public FirstOrderFunction {
   public:
    int NumParameters() const override { return 1; }
    bool Evaluate(const double* x, double* cost,
                  double* gradient) const override {
      *cost = x[0] * x[0];
      if (gradient != nullptr) gradient[0] = -2.0 * x[0];
      return true;
    }
  };
  for (const double start : {1e-9, 1.0, 1e9}) {
    const GradientProblem problem(new Wrong);
    double x = start;
    const Summary summary = SolveFrom({}, problem, &x);
    EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
    EXPECT_THAT(summary.message, HasSubstr("Check the derivatives"));
    EXPECT_EQ(x, start);
  }
}

TEST_F(GradientProblemSolverTest, InvalidOptionsAreNamedAsItsOwn) {
  Options options;
  options.line_search_type = ARMIJO;
  std::string error;
  EXPECT_FALSE(options.IsValid(&error));
  EXPECT_THAT(error, HasSubstr("GradientProblemSolver::Options::"));
  EXPECT_THAT(error, testing::Not(HasSubstr("ProblemGradient")));
  const Summary summary = Run(options);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr(error));
  EXPECT_FALSE(summary.IsSolutionUsable());
  EXPECT_EQ(x_[0], -1.2);

  options = Options();
  options.max_num_line_search_step_size_iterations = 0;
  EXPECT_FALSE(options.IsValid(&error));
  options = Options();
  options.max_lbfgs_rank = 0;
  EXPECT_FALSE(options.IsValid(&error));
  EXPECT_TRUE(Options().IsValid(&error));
}

TEST_F(GradientProblemSolverTest, StartMustBeFiniteAndEvaluable) {
  x_[0] = std::numeric_limits<double>::quiet_NaN();
  Summary summary = Run({});
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("not finite"));
  x_[0] = 1e200;  // overflows
  summary = Run({});
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("not finite"));
  EXPECT_EQ(x_[0], 1e200);
}

TEST(GradientProblemSolver, ExceptionsReachTheCallerAndLeaveTheStart) {
  const GradientProblem problem(NewRosenbrock({/*max_calls=*/4}));
  double x[] = {-1.2, 1.0};
  Options options;
  options.update_state_every_iteration = true;
  EXPECT_THROW(SolveFrom(options, problem, x), std::domain_error);
  EXPECT_EQ(x[0], -1.2);
  EXPECT_EQ(x[1], 1.0);
}

TEST(GradientProblemSolver, CallbacksMayStopIt) {
  struct Stop : IterationCallback {
    CallbackReturnType operator()(const IterationSummary& summary) override {
      seen.push_back(x[0]);
      return summary.iteration == 3 ? answer : SOLVER_CONTINUE;
    }
    const double* x;
    CallbackReturnType answer;
    std::vector<double> seen;
  };
  for (const auto answer : {SOLVER_ABORT, SOLVER_TERMINATE_SUCCESSFULLY}) {
    const GradientProblem problem(NewRosenbrock());
    double x[] = {-1.2, 1.0};
    Stop stop;
    stop.x = x;
    stop.answer = answer;
    Options options;
    options.update_state_every_iteration = true;
    options.callbacks = {&stop};
    GradientProblemSolver solver;
    Summary summary;
    solver.Solve(options, problem, x, &summary);
    EXPECT_EQ(summary.iterations.size(), 4u);
    ASSERT_EQ(stop.seen.size(), 4u);
    EXPECT_NE(stop.seen[3], -1.2) << "the state is refreshed";
    const bool success = answer == SOLVER_TERMINATE_SUCCESSFULLY;
    EXPECT_EQ(summary.termination_type, success ? USER_SUCCESS : USER_FAILURE);
    EXPECT_EQ(x[0], success ? stop.seen[3] : -1.2);
  }
}

TEST_F(GradientProblemSolverTest, ReportsSayWhatHappened) {
  const Summary summary = Run({});
  EXPECT_THAT(summary.BriefReport(), HasSubstr("CONVERGENCE"));
  EXPECT_THAT(summary.FullReport(), HasSubstr("LBFGS (20)"));
  EXPECT_THAT(summary.FullReport(), HasSubstr("CUBIC WOLFE"));
  EXPECT_THAT(summary.FullReport(), HasSubstr(summary.message));
}

using GradientProblemSolverDeathTest = GradientProblemSolverTest;

TEST_F(GradientProblemSolverDeathTest, NullIsRefused) {
  EXPECT_DEATH(Solve(Options(), problem_, x_, nullptr), "needs a summary");
  Summary summary;
  EXPECT_DEATH(Solve(Options(), problem_, nullptr, &summary),
               "needs parameters");
}

}  // namespace
}  // namespace ceres::internal
