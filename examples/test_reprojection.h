// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_TEST_REPROJECTION_H_
#define VESTA_EXAMPLES_TEST_REPROJECTION_H_

#include <vector>

#include "bal_problem.h"
#include "snavely_reprojection_error.h"

namespace ceres::examples {

// The residuals of all observations, without the solver: x0, y0, x1, y1, ...
inline std::vector<double> Residuals(const BalProblem& problem) {
  std::vector<double> residuals(problem.observations.size());
  for (int i = 0; i < problem.num_observations(); ++i) {
    const double* pixel = &problem.observations[2 * static_cast<size_t>(i)];
    const double* camera = problem.camera(problem.camera_index[i]);
    const double* point = problem.point(problem.point_index[i]);
    double* residual = &residuals[2 * static_cast<size_t>(i)];
    if (problem.camera_size == kQuaternionCameraSize) {
      SnavelyReprojectionErrorWithQuaternions(pixel[0], pixel[1])(camera, point,
                                                                  residual);
    } else {
      SnavelyReprojectionError(pixel[0], pixel[1])(camera, point, residual);
    }
  }
  return residuals;
}

inline double Cost(const BalProblem& problem) {
  double cost = 0.0;
  for (const double residual : Residuals(problem))
    cost += 0.5 * residual * residual;
  return cost;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_TEST_REPROJECTION_H_
