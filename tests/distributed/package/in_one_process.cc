// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/ceres.h"

struct Residual {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

int main() {
  double x = 0.5;
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Residual, 1, 1>(new Residual), nullptr,
      &x);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  return summary.IsSolutionUsable() ? 0 : 1;
}
