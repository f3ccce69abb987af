// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_ANGLE_MANIFOLD_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_ANGLE_MANIFOLD_H_

#include "slam/pose_graph_2d/normalize_angle.h"

namespace ceres::examples {

// The circle of headings in [-pi, pi). Plus moves along the circle. Minus is
// the shorter of the two arcs from one heading to another. A functor for
// AutoDiffManifold<AngleManifold, 1, 1>.
struct AngleManifold {
  template <typename T>
  bool Plus(const T* heading, const T* arc, T* end) const {
    end[0] = NormalizeAngle(heading[0] + arc[0]);
    return true;
  }

  template <typename T>
  bool Minus(const T* end, const T* heading, T* arc) const {
    arc[0] = NormalizeAngle(end[0] - heading[0]);
    return true;
  }
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_ANGLE_MANIFOLD_H_
