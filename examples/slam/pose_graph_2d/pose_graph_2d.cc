// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves a pose graph of the plane, in g2o form (ceres/io/g2o.h): poses,
// landmarks, priors, fixed vertices.
//
//   pose_graph_2d --input=GRAPH.g2o [--output=SOLVED.g2o]
//                 [--initialize] [--global] [--report=report.html]
//
// Writes poses_original.txt and poses_optimized.txt, lines of
// "id x y yaw", which plot_results.py draws.

#include "slam/common/solve_pose_graph_file.h"

int main(int argc, char** argv) {
  return ceres::examples::SolvePoseGraphFile(argc, argv, /*dimension=*/2,
                                             /*max_num_iterations=*/100);
}
