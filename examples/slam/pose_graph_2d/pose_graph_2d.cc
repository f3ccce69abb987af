// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves a pose graph of planar poses (VERTEX_SE2, EDGE_SE2), in g2o form:
//
//   pose_graph_2d --input=GRAPH.g2o
//
// Writes poses_original.txt and poses_optimized.txt, lines of
// "id x y yaw", which plot_results.py draws.

#include <iostream>

#include "gflags/gflags.h"
#include "glog/logging.h"
#include "slam/common/solve_pose_graph_file.h"
#include "slam/pose_graph_2d/pose_graph_2d_problem.h"

DEFINE_string(input, "", "The pose graph, a g2o file.");

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty()) {
    std::cerr << "Usage: pose_graph_2d --input=GRAPH.g2o\n";
    return 1;
  }
  return ceres::examples::SolvePoseGraphFile<ceres::examples::PoseGraph2d>(
      FLAGS_input, /*max_num_iterations=*/100);
}
