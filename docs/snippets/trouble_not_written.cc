// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A cost function that forgets one of its residuals.

#include <cstdio>

#include "ceres/ceres.h"
#include "outcome.h"

// [cost]
struct Offset {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = x[0] - 1.0;
    residual[0] = x[1] - 2.0;  // Should be residual[1].
    return true;
  }
};
// [/cost]

int main() {
  double x[2] = {0.0, 0.0};
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Offset, 2, 2>(new Offset), nullptr, x);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  PrintOutcome(summary);
}
