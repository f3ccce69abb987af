// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// TinySolver with the template parameters of Ceres 2.3. The program that this
// file is part of also uses it with those of 2.2.
#define VESTA_TINY_SOLVER_2_3

#include <type_traits>

#include "ceres/tiny_solver.h"
#include "ceres/tiny_solver_autodiff_function.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// Zero at (1, 2).
struct Line {
  using Scalar = double;
  enum { NUM_RESIDUALS = Eigen::Dynamic, NUM_PARAMETERS = Eigen::Dynamic };
  bool operator()(const double* x, double* f, double* j) const {
    f[0] = x[0] - 1.0;
    f[1] = 3.0 * x[1] - 6.0;
    if (j != nullptr) {
      j[0] = 1.0;
      j[1] = j[2] = 0.0;
      j[3] = 3.0;
    }
    return true;
  }
  int NumResiduals() const { return 2; }
  int NumParameters() const { return 2; }
};

template <typename Solver>
void ExpectSolves() {
  Solver solver;
  typename Solver::ParameterVector x(2);
  x << 3.0, -4.0;
  solver.Solve(Line(), &x);
  EXPECT_NEAR(x[0], 1.0, 1e-6);
  EXPECT_NEAR(x[1], 2.0, 1e-6);
}

TEST(TinySolver23, TakesUpperBoundsBeforeTheLinearSolver) {
  using Bounded = TinySolver<Line, 7, 5>;
  static_assert(Bounded::MAX_NUM_RESIDUALS == 7);
  static_assert(Bounded::MAX_NUM_PARAMETERS == 5);
  static_assert(Bounded::ParameterVector::MaxRowsAtCompileTime == 5);
  static_assert(Bounded::ResidualVector::MaxRowsAtCompileTime == 7);
  static_assert(Bounded::HessianMatrix::MaxColsAtCompileTime == 5);
  ExpectSolves<Bounded>();
  ExpectSolves<TinySolver<Line, 7, 5, Eigen::LLT<Bounded::HessianMatrix>>>();
}

TEST(TinySolver23, TakesTheBoundsOfTheFunctionByDefault) {
  static_assert(TinySolver<Line>::MAX_NUM_RESIDUALS == Eigen::Dynamic);
  static_assert(TinySolver<Line, 7>::MAX_NUM_RESIDUALS == 7);
  static_assert(TinySolver<Line, 7>::MAX_NUM_PARAMETERS == Eigen::Dynamic);
  ExpectSolves<TinySolver<Line>>();
  ExpectSolves<TinySolver<Line, 7>>();
}

}  // namespace
}  // namespace ceres
