// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_COMMON_GAUGE_H_
#define VESTA_EXAMPLES_SLAM_COMMON_GAUGE_H_

#include <algorithm>

#include "ceres/io/pose_graph.h"

namespace ceres::examples {

// The vertex to hold constant besides those that are fixed: measurements
// between vertices do not change if all vertices move together. It is the pose
// of the smallest id that an edge touches, or -1 if the graph has a fixed
// vertex or a prior.
inline int VertexToHold(const io::PoseGraph& graph) {
  for (const auto& vertex : graph.vertices) {
    if (vertex.is_fixed) return -1;
  }
  int held = -1;
  for (const auto& edge : graph.edges) {
    if (edge.y < 0) return -1;
    for (const int index : {edge.x, edge.y}) {
      const auto& vertex = graph.vertices[index];
      if (vertex.is_landmark) continue;
      if (held < 0 || vertex.id < graph.vertices[held].id) held = index;
    }
  }
  return held;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_GAUGE_H_
