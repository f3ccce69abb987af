// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "slam/pose_graph_3d/pose_graph_3d_problem.h"

#include "ceres/manifold.h"
#include "slam/pose_graph_3d/pose_graph_3d_error_term.h"

namespace ceres::examples {

void BuildProblem(PoseGraph3d* graph, Problem* problem) {
  for (const Constraint3d& constraint : graph->constraints) {
    Pose3d& a = graph->poses.at(constraint.id_begin);
    Pose3d& b = graph->poses.at(constraint.id_end);
    problem->AddResidualBlock(PoseGraph3dErrorTerm::Create(constraint), nullptr,
                              a.p.data(), a.q.coeffs().data(), b.p.data(),
                              b.q.coeffs().data());
  }
  Manifold* quaternion_manifold = nullptr;
  for (auto& [id, pose] : graph->poses) {
    if (!problem->HasParameterBlock(pose.p.data())) continue;
    if (quaternion_manifold == nullptr) {
      problem->SetParameterBlockConstant(pose.p.data());
      problem->SetParameterBlockConstant(pose.q.coeffs().data());
      quaternion_manifold = new EigenQuaternionManifold;
    }
    problem->SetManifold(pose.q.coeffs().data(), quaternion_manifold);
  }
}

}  // namespace ceres::examples
