// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A Jacobian that is NaN although the residual is finite, and its cure.

#include <cmath>
#include <cstdio>

#include "ceres/ceres.h"
#include "outcome.h"

// [wrong]
// The measured distance of the point x from the origin.
struct Distance {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    using std::sqrt;
    residual[0] = sqrt(x[0] * x[0] + x[1] * x[1]) - 5.0;
    return true;
  }
};
// [/wrong]

// The direction in which the point was seen.
struct Direction {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 0.8 * x[0] - 0.6 * x[1];
    return true;
  }
};

void Solve(double start) {
  double x[2] = {start, start};
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Distance, 1, 2>(new Distance), nullptr,
      x);
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Direction, 1, 2>(new Direction), nullptr,
      x);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  PrintOutcome(summary);
  std::printf("x = %.2f %.2f\n\n", x[0], x[1]);
}

int main() {
  std::printf("Start at (0, 0)\n");
  Solve(0.0);
  std::printf("Start at (0.1, 0.1)\n");
  Solve(0.1);
}
