// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves of problems with Problem::SetLinearizationPoint.

#include <cmath>

#include "ceres/autodiff_cost_function.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// r = (x^2 - 2, x - 1). Least squares has its minimum where
// 2 x (x^2 - 2) + (x - 1) = 0. With the Jacobian of the point 3, a solve ends
// where 6 (x^2 - 2) + (x - 1) = 0.
struct Curve {
  template <typename T>
  bool operator()(const T* x, T* r) const {
    r[0] = x[0] * x[0] - 2.0;
    r[1] = x[0] - 1.0;
    return true;
  }
};

class LinearizationPointTest : public testing::Test {
 protected:
  LinearizationPointTest() {
    problem.AddResidualBlock(new AutoDiffCostFunction<Curve, 2, 1>(new Curve),
                             nullptr, &x);
    options.linear_solver_type = DENSE_QR;
    options.function_tolerance = 0.0;
    options.max_num_iterations = 200;
    options.keep_preprocessing = true;
    options.logging_type = SILENT;
  }
  double Gradient(double slope) const {
    return slope * (x * x - 2.0) + (x - 1.0);
  }

  double x = 3.0;
  Problem problem;
  Solver::Options options;
  Solver::Summary summary;
};

TEST_F(LinearizationPointTest, StepsComeFromTheJacobianOfThePoint) {
  problem.SetLinearizationPoint(&x, &x);
  Solve(options, &problem, &summary);
  EXPECT_TRUE(summary.IsSolutionUsable());
  EXPECT_NEAR(Gradient(6.0), 0.0, 1e-6);
  EXPECT_GT(std::abs(Gradient(2.0 * x)), 1e-2);
  EXPECT_DOUBLE_EQ(summary.final_cost,
                   0.5 * (std::pow(x * x - 2.0, 2) + std::pow(x - 1.0, 2)));
}

TEST_F(LinearizationPointTest, AChangeOfAPointPreparesAgain) {
  problem.SetLinearizationPoint(&x, &x);
  Solve(options, &problem, &summary);
  problem.SetLinearizationPoint(&x, nullptr);
  Solve(options, &problem, &summary);
  EXPECT_FALSE(summary.preprocessing_was_kept);
  EXPECT_NEAR(Gradient(2.0 * x), 0.0, 1e-8);
  problem.SetLinearizationPoint(&x, &x);
  Solve(options, &problem, &summary);
  EXPECT_FALSE(summary.preprocessing_was_kept);
  Solve(options, &problem, &summary);
  EXPECT_TRUE(summary.preprocessing_was_kept);
}

TEST_F(LinearizationPointTest, GradientsAreCheckedAtThePoint) {
  problem.SetLinearizationPoint(&x, &x);
  options.check_gradients = true;
  Solve(options, &problem, &summary);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_NEAR(Gradient(6.0), 0.0, 1e-6);
}

}  // namespace
}  // namespace ceres
