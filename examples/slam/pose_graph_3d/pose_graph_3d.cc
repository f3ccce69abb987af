// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves a pose graph of poses in space (VERTEX_SE3:QUAT, EDGE_SE3:QUAT), in
// g2o form:
//
//   pose_graph_3d --input=GRAPH.g2o [--report=report.html]
//
// Writes poses_original.txt and poses_optimized.txt, lines of
// "id x y z qx qy qz qw", which plot_results.py draws.

#include <iostream>
#include <map>
#include <string>

#include "ceres/html_report.h"
#include "gflags/gflags.h"
#include "slam/common/solve_pose_graph_file.h"
#include "slam/pose_graph_3d/pose_graph_3d_problem.h"

DEFINE_string(input, "", "The pose graph, a g2o file.");

namespace ceres::examples {

// Found by argument-dependent lookup: see solve_pose_graph_file.h.
static ReportScene::Pose PoseInScene(const Pose3d& pose) {
  return {{pose.p.x(), pose.p.y(), pose.p.z()},
          {pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z()}};
}

static void AddBlockNames(int id, const Pose3d& pose,
                          std::map<const double*, std::string>* names) {
  names->emplace(pose.p.data(), "position " + std::to_string(id));
  names->emplace(pose.q.coeffs().data(), "rotation " + std::to_string(id));
}

}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty()) {
    std::cerr << "Usage: pose_graph_3d --input=GRAPH.g2o\n";
    return 1;
  }
  return ceres::examples::SolvePoseGraphFile<ceres::examples::PoseGraph3d>(
      FLAGS_input, /*max_num_iterations=*/200);
}
