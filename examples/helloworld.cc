// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The smallest program: which x minimizes the cost 1/2 (10 - x)^2? The
// derivative of the residual 10 - x is automatic.
//
// Prints: x = 0.5 -> 10, cost = 45.125 ->

#include <iostream>

#include "ceres/ceres.h"

// Evaluates the residual for numbers of any type T. With T = double it yields
// the value, with T = ceres::Jet the value and its derivative.
struct DistanceToTen {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    *residual = 10.0 - *x;
    return true;
  }
};

int main() {
  const double start = 0.5;
  double x = start;

  // One residual that depends on one parameter block of size one: <1, 1>. The
  // problem deletes the cost function. It keeps the address of x, where the
  // solver reads the start and writes the result.
  ceres::Problem problem;
  auto* cost =
      new ceres::AutoDiffCostFunction<DistanceToTen, 1, 1>(new DistanceToTen);
  problem.AddResidualBlock(cost, /*loss_function=*/nullptr, &x);

  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  if (!summary.IsSolutionUsable()) {
    std::cerr << summary.message << "\n";
    return 1;
  }
  std::cout << "After " << summary.iterations.size()
            << " iterations: x = " << start << " -> " << x
            << ", cost = " << summary.initial_cost << " -> "
            << summary.final_cost << "\n";
  return 0;
}
