// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "slam/pose_graph_2d/pose_graph_2d_problem.h"

#include "ceres/autodiff_manifold.h"
#include "slam/pose_graph_2d/angle_manifold.h"
#include "slam/pose_graph_2d/pose_graph_2d_error_term.h"

namespace ceres::examples {

void BuildProblem(PoseGraph2d* graph, Problem* problem) {
  for (const Constraint2d& constraint : graph->constraints) {
    Pose2d& a = graph->poses.at(constraint.id_begin);
    Pose2d& b = graph->poses.at(constraint.id_end);
    problem->AddResidualBlock(PoseGraph2dErrorTerm::Create(constraint), nullptr,
                              &a.x, &a.y, &a.yaw_radians, &b.x, &b.y,
                              &b.yaw_radians);
  }
  Manifold* angle_manifold = nullptr;
  for (auto& [id, pose] : graph->poses) {
    if (!problem->HasParameterBlock(&pose.x)) continue;
    if (angle_manifold == nullptr) {
      problem->SetParameterBlockConstant(&pose.x);
      problem->SetParameterBlockConstant(&pose.y);
      problem->SetParameterBlockConstant(&pose.yaw_radians);
      angle_manifold = new AutoDiffManifold<AngleManifold, 1, 1>;
    }
    problem->SetManifold(&pose.yaw_radians, angle_manifold);
  }
}

}  // namespace ceres::examples
