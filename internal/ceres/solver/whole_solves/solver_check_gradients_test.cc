// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solver::Options::check_gradients.

#include <cmath>
#include <string>
#include <vector>

#include "ceres/manifold.h"
#include "ceres/sized_cost_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

// r = (x_0^2 - a, x_1 - 1); the derivative of the first is multiplied by
// `factor` where x_0 < wrong_below.
class Square : public SizedCostFunction<2, 2> {
 public:
  explicit Square(double a, double factor = 1.0, double wrong_below = 1e300)
      : a_(a), factor_(factor), wrong_below_(wrong_below) {}

  bool Evaluate(double const* const* p, double* r, double** j) const override {
    const double* x = p[0];
    r[0] = x[0] * x[0] - a_;
    r[1] = x[1] - 1;
    if (j != nullptr && j[0] != nullptr) {
      j[0][0] = 2 * x[0] * (x[0] < wrong_below_ ? factor_ : 1.0);
      j[0][1] = j[0][2] = 0;
      j[0][3] = 1;
    }
    return true;
  }

 private:
  double a_, factor_, wrong_below_;
};

// A problem of one such residual block, from (5, 7).
struct SquareProblem {
  explicit SquareProblem(double factor = 1.0, double wrong_below = 1e300) {
    problem.AddResidualBlock(new Square(4, factor, wrong_below), nullptr, x);
  }
  double x[2] = {5, 7};
  Problem problem;
};

Solver::Options Checking(int num_threads = 1) {
  Solver::Options options = DenseQrOptions();
  options.check_gradients = true;
  options.num_threads = num_threads;
  return options;
}

TEST(CheckGradients, ARightProblemIsSolvedAsWithoutIt) {
  SquareProblem checked, plain;
  const Solver::Summary a = SolveWith(Checking(), &checked.problem);
  const Solver::Summary b = SolveWith(DenseQrOptions(), &plain.problem);
  EXPECT_EQ(a.termination_type, CONVERGENCE);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.iterations.size(), b.iterations.size());
  EXPECT_THAT(checked.x, ElementsAreArray(plain.x));
}

TEST(CheckGradients, AWrongJacobianEndsTheSolveAndNamesTheBlock) {
  for (const int num_threads : {1, 2, 4}) {
    std::vector<double> x(200, 5.0);
    Problem problem;
    for (int i = 0; i < 100; ++i) {
      const bool is_wrong = i == 17 || i == 42;
      problem.AddResidualBlock(new Square(4, is_wrong ? 1.001 : 1.0), nullptr,
                               &x[2 * i]);
    }
    const Solver::Summary summary = SolveWith(Checking(num_threads), &problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_FALSE(summary.IsSolutionUsable());
    EXPECT_THAT(summary.message,
                HasSubstr("Gradient error in residual block 17 "));
    EXPECT_THAT(summary.message,
                HasSubstr("parameter block 0, residual 0, coordinate 0"));
    EXPECT_THAT(summary.message, Not(HasSubstr("coordinate 1:")));
    EXPECT_EQ(x, std::vector<double>(200, 5.0));
  }
}

TEST(CheckGradients, PrecisionDecidesWhatIsWrong) {
  SquareProblem wrong(1.001);
  Solver::Options options = Checking();
  options.gradient_check_relative_precision = 1e-2;
  EXPECT_EQ(SolveWith(options, &wrong.problem).termination_type, CONVERGENCE);
  EXPECT_NEAR(wrong.x[0], 2, 1e-6);
}

TEST(CheckGradients, AnErrorOnTheWayEndsTheSolve) {
  SquareProblem wrong(1.5, 3.0);
  const Solver::Summary summary = SolveWith(Checking(), &wrong.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("Gradient error"));
  EXPECT_GT(summary.num_successful_steps, 0);
  // The start, not the point of the error.
  EXPECT_THAT(wrong.x, ElementsAre(5, 7));
}

// r = (q . c, |q| - 1), with a Jacobian that is wrong along q only.
class Radial : public SizedCostFunction<1, 4> {
 public:
  bool Evaluate(double const* const* p, double* r, double** j) const override {
    const double* q = p[0];
    r[0] = q[0] + 2 * q[1] - q[2];
    const double c[4] = {1, 2, -1, 0};
    for (int i = 0; j != nullptr && j[0] != nullptr && i < 4; ++i) {
      j[0][i] = c[i] + 10 * q[i];
    }
    return true;
  }
};

TEST(CheckGradients, OnlyDirectionsOfTheManifoldCount) {
  double q[4] = {1, 0, 0, 0};
  Problem problem;
  problem.AddResidualBlock(new Radial, nullptr, q);
  EXPECT_EQ(SolveWith(Checking(), &problem).termination_type, FAILURE);
  problem.SetManifold(q, new QuaternionManifold);
  EXPECT_EQ(SolveWith(Checking(), &problem).termination_type, CONVERGENCE);
  EXPECT_NEAR(q[0] + 2 * q[1] - q[2], 0, 1e-6);
}

TEST(CheckGradients, WorksWithEveryMinimizer) {
  for (const MinimizerType type : {TRUST_REGION, LINE_SEARCH}) {
    Solver::Options options = Checking();
    options.minimizer_type = type;
    SquareProblem right;
    EXPECT_EQ(SolveWith(options, &right.problem).termination_type, CONVERGENCE);
    SquareProblem wrong(1.001, 3.0);
    EXPECT_EQ(SolveWith(options, &wrong.problem).termination_type, FAILURE);
    EXPECT_EQ(wrong.x[0], 5);
  }
}

TEST(CheckGradients, ABundleAdjustmentWithAutomaticDerivativesPasses) {
  SmallBundle bundle;
  Solver::Options options = Checking(2);
  options.linear_solver_type = DENSE_SCHUR;
  EXPECT_EQ(SolveWith(options, &bundle.problem).termination_type, CONVERGENCE);
}

}  // namespace
}  // namespace ceres::internal
