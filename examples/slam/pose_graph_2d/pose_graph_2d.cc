// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves a pose graph of planar poses (VERTEX_SE2, EDGE_SE2), in g2o form:
//
//   pose_graph_2d --input=GRAPH.g2o [--report=report.html]
//
// Writes poses_original.txt and poses_optimized.txt, lines of
// "id x y yaw", which plot_results.py draws.

#include <cmath>
#include <iostream>
#include <map>
#include <string>

#include "ceres/html_report.h"
#include "gflags/gflags.h"
#include "slam/common/solve_pose_graph_file.h"
#include "slam/pose_graph_2d/pose_graph_2d_problem.h"

DEFINE_string(input, "", "The pose graph, a g2o file.");

namespace ceres::examples {

// Found by argument-dependent lookup: see solve_pose_graph_file.h.
static ReportScene::Pose PoseInScene(const Pose2d& pose) {
  return {{pose.x, pose.y, 0.0},
          {std::cos(pose.yaw_radians / 2), 0.0, 0.0,
           std::sin(pose.yaw_radians / 2)}};
}

static void AddBlockNames(int id, const Pose2d& pose,
                          std::map<const double*, std::string>* names) {
  names->emplace(&pose.x, "x " + std::to_string(id));
  names->emplace(&pose.y, "y " + std::to_string(id));
  names->emplace(&pose.yaw_radians, "yaw " + std::to_string(id));
}

}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty()) {
    std::cerr << "Usage: pose_graph_2d --input=GRAPH.g2o\n";
    return 1;
  }
  return ceres::examples::SolvePoseGraphFile<ceres::examples::PoseGraph2d>(
      FLAGS_input, /*max_num_iterations=*/100);
}
