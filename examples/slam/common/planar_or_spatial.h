// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_COMMON_PLANAR_OR_SPATIAL_H_
#define VESTA_EXAMPLES_SLAM_COMMON_PLANAR_OR_SPATIAL_H_

#include <iostream>
#include <string>

#include "ceres/io/text_file.h"
#include "slam/common/read_g2o.h"
#include "slam/pose_graph_2d/types.h"
#include "slam/pose_graph_3d/types.h"

namespace ceres::examples {

// For a program that takes a g2o file of either kind: reads the file and
// returns run(graph), where the graph is a PoseGraph2d or a PoseGraph3d. If the
// file cannot be read, prints why and returns 1.
template <typename Run>
int RunPlanarOrSpatial(const std::string& path, const Run& run) {
  std::string text;
  std::string error;
  PoseGraph2d plane;
  PoseGraph3d space;
  const bool has_file = io::ReadFile(path, &text, &error);
  const bool is_spatial = text.find(Pose3d::kTag) != std::string::npos;
  if (has_file && is_spatial && ParseG2o(text, path, &space, &error)) {
    return run(space);
  }
  if (has_file && !is_spatial && ParseG2o(text, path, &plane, &error)) {
    return run(plane);
  }
  std::cerr << error << "\n";
  return 1;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_PLANAR_OR_SPATIAL_H_
