// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Functions for the tests of tiny_solver.h.

#ifndef CERES_INTERNAL_MODELLING_TINY_SOLVER_TEST_UTILS_H_
#define CERES_INTERNAL_MODELLING_TINY_SOLVER_TEST_UTILS_H_

#include <algorithm>

#include "Eigen/Core"
#include "gtest/gtest.h"

namespace ceres::tiny_solver_tests {

// f(x) = (|x|^2 - 9, x_0 - x_1 x_2): zero where a sphere meets a saddle.
struct Residuals2 {
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - T(9);
    f[1] = x[0] - x[1] * x[2];
    return true;
  }
  int NumResiduals() const { return 2; }
};

// The same with a Jacobian by hand.
struct ByHand {
  using Scalar = double;
  enum { NUM_RESIDUALS = 2, NUM_PARAMETERS = 3 };
  bool operator()(const double* x, double* f, double* j) const {
    Residuals2()(x, f);
    if (j != nullptr) {
      const double column_major[6] = {2 * x[0], 1,        2 * x[1],
                                      -x[2],    2 * x[2], -x[1]};
      std::copy_n(column_major, 6, j);
    }
    return true;
  }
};

// ... and sizes that are known at run time, with and without bounds.
template <int kMaxResiduals, int kMaxParameters>
struct Dynamic : ByHand {
  enum {
    NUM_RESIDUALS = Eigen::Dynamic,
    NUM_PARAMETERS = Eigen::Dynamic,
    MAX_NUM_RESIDUALS = kMaxResiduals,
    MAX_NUM_PARAMETERS = kMaxParameters
  };
  int NumResiduals() const { return 2; }
  int NumParameters() const { return 3; }
};

template <typename Solver, typename Function>
void ExpectSolves(const Function& function) {
  Solver solver;
  typename Solver::Parameters x = Eigen::Vector3d(6, -2, 1.5);
  const auto& summary = solver.Solve(function, &x);
  // f = (33.25, 9).
  EXPECT_NEAR(summary.initial_cost, 593.28125, 1e-9);
  EXPECT_LT(summary.final_cost, 1e-10);
  EXPECT_NE(summary.status, Solver::HIT_MAX_ITERATIONS);
  EXPECT_GT(summary.iterations, 1);
  EXPECT_EQ(&summary, &solver.summary);
  double f[2];
  Residuals2()(x.data(), f);
  EXPECT_NEAR(f[0], 0, 1e-5);
  EXPECT_NEAR(f[1], 0, 1e-5);
  // Residuals and Jacobian belong to the last point.
  EXPECT_EQ(solver.Residuals()[0], f[0]);
  EXPECT_EQ(solver.Residuals()[1], f[1]);
  ASSERT_EQ(solver.Jacobian().rows(), 2);
  ASSERT_EQ(solver.Jacobian().cols(), 3);
  EXPECT_NEAR(solver.Jacobian()(0, 2), 2 * x[2], 1e-14);
  EXPECT_NEAR(solver.Jacobian()(1, 1), -x[2], 1e-14);
}

}  // namespace ceres::tiny_solver_tests

#endif  // CERES_INTERNAL_MODELLING_TINY_SOLVER_TEST_UTILS_H_
