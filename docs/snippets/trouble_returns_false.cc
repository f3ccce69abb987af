// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A cost function that returns false, at the start and later.

#include <cstdio>

#include "ceres/ceres.h"
#include "outcome.h"

// [cost]
// The image of a point at depth z, 2 m beside the axis of a camera.
struct Projection {
  template <typename T>
  bool operator()(const T* z, T* residual) const {
    if (z[0] <= 0.0) return false;  // Behind the camera.
    residual[0] = 100.0 * 2.0 / z[0] - 50.0;
    return true;
  }
};
// [/cost]

void Solve(double z) {
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Projection, 1, 1>(new Projection),
      nullptr, &z);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  PrintOutcome(summary);
  std::printf("z = %.2f, rejected steps: %d\n\n", z,
              summary.num_unsuccessful_steps);
}

int main() {
  std::printf("Start at z = -1\n");
  Solve(-1.0);
  std::printf("Start at z = 20\n");
  Solve(20.0);
}
