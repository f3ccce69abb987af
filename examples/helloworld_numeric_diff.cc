// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// helloworld where no derivative is known: CENTRAL differences of the residual
// stand for it.
//
// Prints: 0.5 -> 10

#include <iostream>

#include "ceres/ceres.h"

// A functor for doubles only, for example because it calls a library.
struct DistanceToTen {
  bool operator()(const double* x, double* residual) const {
    *residual = 10.0 - *x;
    return true;
  }
};

using Cost =
    ceres::NumericDiffCostFunction<DistanceToTen, ceres::CENTRAL, 1, 1>;

int main() {
  double x = 0.5;
  ceres::Problem problem;
  problem.AddResidualBlock(new Cost(new DistanceToTen), nullptr, &x);

  std::cout << x;
  ceres::Solver::Summary summary;
  ceres::Solve({}, &problem, &summary);
  std::cout << " -> " << x << "\n" << summary.BriefReport() << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
