// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_NORMALIZE_ANGLE_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_NORMALIZE_ANGLE_H_

#include <cmath>

namespace ceres::examples {

// The angle in [-pi, pi) that differs by full turns. Radians.
template <typename T>
T NormalizeAngle(const T& angle) {
  using std::floor;
  constexpr double kPi = 3.14159265358979323846;
  return angle - 2.0 * kPi * floor((angle + kPi) / (2.0 * kPi));
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_NORMALIZE_ANGLE_H_
