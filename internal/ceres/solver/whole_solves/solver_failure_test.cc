// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with cost functions that fail: a mistake is an answer that names the
// residual block, and the user's parameters are what they were.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_manifold.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// r = (x - 1, y - 2) and its Jacobian, then whatever a fault does to that.
// jacobian: 2 x 2, or null.
using Fault = std::function<bool(const double* x, double* r, double* jacobian)>;

CostFunction* NewFaulty(Fault fault) {
  return new FunctionCost(
      2, {2},
      [fault = std::move(fault)](double const* const* p, double* r,
                                 double** jacobians) {
        r[0] = p[0][0] - 1.0;
        r[1] = p[0][1] - 2.0;
        double* j = jacobians == nullptr ? nullptr : jacobians[0];
        if (j != nullptr) j[0] = j[3] = 1.0, j[1] = j[2] = 0.0;
        return fault(p[0], r, j);
      });
}

// Faults stand in residual block 1 of 3.
class FailureTest : public testing::TestWithParam<LinearSolverType> {
 protected:
  FailureTest() {
    options_.linear_solver_type = GetParam();
    options_.num_threads = 2;
    options_.max_num_iterations = 20;
    options_.function_tolerance = 0.0;
    options_.eta = 1e-6;
  }

  Solver::Summary Run(const Fault& fault) { return Run(NewFaulty(fault)); }

  Solver::Summary Run(CostFunction* cost) {
    Problem problem;
    MakeProblem(cost, &problem);
    const Solver::Summary summary = SolveWith(options_, &problem);
    if (!summary.IsSolutionUsable()) ExpectStart();
    return summary;
  }

  void MakeProblem(CostFunction* cost, Problem* problem) {
    x_ = {5.0, 7.0};
    y_ = 3.0;
    problem->AddResidualBlock(NewSpring(1.0), nullptr, &y_);
    problem->AddResidualBlock(cost, nullptr, x_.data());
    problem->AddResidualBlock(NewSpring(2.0), nullptr, &y_);
  }

  void ExpectStart() {
    EXPECT_EQ(x_, (std::vector<double>{5.0, 7.0}));
    EXPECT_EQ(y_, 3.0);
  }

  void ExpectFailure(CostFunction* cost, const char* why) {
    const Solver::Summary summary = Run(cost);
    EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
    EXPECT_THAT(
        summary.message,
        AllOf(HasSubstr("Residual block 1 of the problem"), HasSubstr(why)));
    EXPECT_THAT(summary.FullReport(), HasSubstr(why));
  }
  void ExpectFailure(const Fault& fault, const char* why) {
    ExpectFailure(NewFaulty(fault), why);
  }

  static bool IsStart(const double* x) { return x[0] == 5.0 && x[1] == 7.0; }

  std::vector<double> x_;
  double y_ = 0.0;
  Solver::Options options_;
};

TEST_P(FailureTest, HealthySolveIsTheControl) {
  const Solver::Summary summary =
      Run([](const double*, double*, double*) { return true; });
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(x_[0], 1.0, 1e-6);
  EXPECT_NEAR(x_[1], 2.0, 1e-6);
  EXPECT_NEAR(y_, 1.5, 1e-6);
}

TEST_P(FailureTest, WrongValuesAtTheStart) {
  ExpectFailure([](auto, auto, auto) { return false; }, "returned false");
  const auto expect_failure_of_residual = [&](int i, double value,
                                              const char* why) {
    ExpectFailure(
        [=](const double*, double* r, double*) {
          r[i] = value;
          return true;
        },
        why);
  };
  expect_failure_of_residual(1, kNaN, "residual 1 is");
  expect_failure_of_residual(0, -kInfinity, "residual 0 is -inf");
  expect_failure_of_residual(0, 1e200, "overflows");
  for (const double bad : {kNaN, kInfinity}) {
    ExpectFailure(
        [bad](const double*, double*, double* j) {
          if (j != nullptr) j[1] = bad;
          return true;
        },
        "derivative of residual 0 by coordinate 1 of parameter block 0 is");
  }
}

TEST_P(FailureTest, UnwrittenValues) {
  const auto new_cost = [](int num_residuals, int num_derivatives) {
    return new FunctionCost(2, {2},
                            [=](double const* const*, double* r, double** j) {
                              std::fill_n(r, num_residuals, 1.0);
                              if (j != nullptr)
                                std::fill_n(j[0], num_derivatives, 1.0);
                              return true;
                            });
  };
  ExpectFailure(new_cost(1, 4), "residual 1 was not written");
  ExpectFailure(new_cost(2, 3),
                "derivative of residual 1 by coordinate 1 of parameter block 0 "
                "was not written");
}

TEST_P(FailureTest, ProblemCanBeSolvedAfterAnException) {
  for (const bool in_jacobian_pass : {false, true}) {
    bool healthy = false;
    Problem problem;
    MakeProblem(NewFaulty([&](const double*, double*, double* j) {
                  if (!healthy && (j != nullptr) == in_jacobian_pass) throw 7;
                  return true;
                }),
                &problem);
    Solver::Summary summary;
    EXPECT_THROW(Solve(options_, &problem, &summary), int);
    ExpectStart();
    EXPECT_EQ(summary.termination_type, FAILURE);
    healthy = true;
    Solve(options_, &problem, &summary);
    EXPECT_TRUE(summary.IsSolutionUsable());
    EXPECT_NEAR(x_[0], 1.0, 1e-6);
  }
}

// Not evaluable for x < 3: the solve gets as near to there as it can.
TEST_P(FailureTest, PointsThatCannotBeEvaluatedAreInfeasibleSteps) {
  enum Kind { kFalse, kNaNs, kInfinities };
  for (const Kind kind : {kFalse, kNaNs, kInfinities}) {
    options_.max_num_iterations = 60;
    const Solver::Summary summary =
        Run([kind](const double* x, double* r, double*) {
          if (x[0] >= 3.0) return true;
          r[0] = kind == kNaNs ? kNaN : kInfinity;
          return kind != kFalse;
        });
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_GT(summary.num_unsuccessful_steps, 0);
    EXPECT_GE(x_[0], 3.0);
    EXPECT_LT(x_[0], 4.5);
    EXPECT_LT(summary.final_cost, summary.initial_cost);
    EXPECT_TRUE(std::isfinite(summary.final_cost));
  }
}

// The residuals of the candidate were fine, its Jacobian is not.
TEST_P(FailureTest, JacobianThatFailsLater) {
  ExpectFailure([](const double* x, double*,
                   double* j) { return IsStart(x) || j == nullptr; },
                "returned false");
  ExpectFailure(
      [](const double* x, double*, double* j) {
        if (!IsStart(x) && j != nullptr) j[2] = kNaN;
        return true;
      },
      "derivative of residual 1 by coordinate 0 of parameter block 0");
}

TEST_P(FailureTest, LossThatFails) {
  struct BadLoss : LossFunction {
    void Evaluate(double, double* rho) const override {
      rho[0] = kNaN, rho[1] = 1.0, rho[2] = 0.0;
    }
  };
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  problem.AddResidualBlock(NewSpring(1.0), new BadLoss, &x);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("Residual block 1"), HasSubstr("loss function")));
  EXPECT_EQ(x, 3.0);
}

// The half line above 0.5: Plus fails below.
struct HalfLine {
  template <typename T>
  bool Plus(const T* x, const T* delta, T* x_plus_delta) const {
    x_plus_delta[0] = x[0] + delta[0];
    return x_plus_delta[0] > 0.5;
  }
  template <typename T>
  bool Minus(const T* y, const T* x, T* y_minus_x) const {
    y_minus_x[0] = y[0] - x[0];
    return true;
  }
};

TEST_P(FailureTest, ManifoldThatFailsMakesTheStepInfeasible) {
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(0.0), nullptr, &x);
  problem.AddParameterBlock(&x, 1, new AutoDiffManifold<HalfLine, 1, 1>);
  options_.initial_trust_region_radius = 0.1;
  const Solver::Summary summary = SolveWith(options_, &problem);
  // Either it crept towards 0.5, or the gradient's projection was refused.
  if (summary.IsSolutionUsable()) {
    EXPECT_GT(x, 0.5);
    EXPECT_LT(x, 3.0);
  } else {
    EXPECT_THAT(summary.message, HasSubstr("Plus"));
    EXPECT_EQ(x, 3.0);
  }
}

TEST_P(FailureTest, NonFiniteStart) {
  double x = kNaN;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("ParameterBlock 0"), HasSubstr("nan")));
  EXPECT_TRUE(std::isnan(x));
}

INSTANTIATE_TEST_SUITE_P(LinearSolvers, FailureTest,
                         testing::Values(DENSE_QR, SPARSE_NORMAL_CHOLESKY,
                                         DENSE_SCHUR, ITERATIVE_SCHUR, CGNR),
                         NameOfLinearSolver());

// Fails in many residual blocks at once: the message is that of the first, for
// every number of threads.
TEST(SolveFailure, MessageDoesNotDependOnThreads) {
  std::string message;
  for (const int num_threads : {1, 2, 4}) {
    SharingContext context(4);
    Problem problem(context.problem_options);
    std::vector<double> x(40000, 1.0);
    for (size_t i = 0; i < x.size(); ++i) {
      problem.AddResidualBlock(NewSpring(i >= 20001 ? kNaN : 2.0), nullptr,
                               &x[i]);
    }
    Solver::Options options;
    options.linear_solver_type = CGNR;
    options.num_threads = num_threads;
    const Solver::Summary summary = SolveWith(options, &problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    if (num_threads == 1) message = summary.message;
    EXPECT_EQ(summary.message, message);
    EXPECT_THAT(summary.message, HasSubstr("Residual block 20001 "));
  }
}

// The damping overflows with the square of the Jacobian: no step is finite.
TEST(SolveFailure, StepsThatCannotBeComputedEndTheSolve) {
  double x = 3.0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(2, {1},
                       [](double const* const*, double* r, double** j) {
                         r[0] = r[1] = 1.0;
                         // So large that its square overflows.
                         if (j != nullptr) j[0][0] = j[0][1] = 1e200;
                         return true;
                       }),
      nullptr, &x);
  for (const int limit : {0, 1, 3}) {
    Solver::Options options = DenseQrOptions();
    options.max_num_consecutive_invalid_steps = limit;
    const Solver::Summary summary = SolveWith(options, &problem);
    EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
    EXPECT_THAT(summary.message,
                AllOf(HasSubstr("max_num_consecutive_invalid_steps = " +
                                std::to_string(limit) + ". The last step: "),
                      Not(HasSubstr(".."))));
    EXPECT_EQ(x, 3.0);
  }
}

TEST(SolveFailure, FixedResidualBlockThatFailsIsNamed) {
  double x = 3.0;
  double y = 4.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  problem.AddResidualBlock(NewSpring(kNaN), nullptr, &y);
  problem.SetParameterBlockConstant(&y);
  const Solver::Summary summary = SolveWith(DenseQrOptions(), &problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("Residual block 1"));
  EXPECT_EQ(x, 3.0);
}

}  // namespace
}  // namespace ceres::internal
