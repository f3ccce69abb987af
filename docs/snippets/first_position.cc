// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Finds a position from its distances to three beacons.

#include <cmath>
#include <iostream>

#include "ceres/ceres.h"

// One measured distance. The residual is 0 if the position fits it.
struct DistanceError {
  template <typename T>
  bool operator()(const T* position, T* residual) const {
    const T dx = position[0] - x;
    const T dy = position[1] - y;
    residual[0] = sqrt(dx * dx + dy * dy) - distance;
    return true;
  }

  double x, y;      // The beacon, in metres.
  double distance;  // Measured, in metres.
};

int main() {
  double position[2] = {1.0, 1.0};  // A rough guess.

  ceres::Problem problem;
  for (const DistanceError& measured :
       {DistanceError{0.0, 0.0, 5.1}, DistanceError{8.0, 0.0, 6.3},
        DistanceError{0.0, 9.0, 6.0}}) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<DistanceError, 1, 2>(
            new DistanceError(measured)),
        nullptr, position);
  }

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout.precision(3);
  std::cout << "position: " << position[0] << ", " << position[1] << "\n";
}
