// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_ANGLE_MANIFOLD_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_ANGLE_MANIFOLD_H_

#include "ceres/autodiff_manifold.h"
#include "slam/pose_graph_2d/normalize_angle.h"

namespace ceres::examples {

// The circle: an angle kept in [-pi, pi), so that sums and differences go the
// short way round.
class AngleManifold {
 public:
  template <typename T>
  bool Plus(const T* angle, const T* delta, T* angle_plus_delta) const {
    *angle_plus_delta = NormalizeAngle(*angle + *delta);
    return true;
  }

  template <typename T>
  bool Minus(const T* y, const T* x, T* y_minus_x) const {
    *y_minus_x = NormalizeAngle(*y - *x);
    return true;
  }

  // The caller owns the result.
  static Manifold* Create() {
    return new AutoDiffManifold<AngleManifold, 1, 1>;
  }
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_ANGLE_MANIFOLD_H_
