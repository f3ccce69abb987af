// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/position_solver.h"

namespace ceres::internal {

PositionSolver::PositionSolver(GraphPattern* pattern,
                               const Execution& execution)
    : graph_(pattern->graph()), laplacian_(pattern, 1, execution) {
  const int d = graph_.dimension();
  for (int entry = 0; entry < pattern->num_entries(); ++entry) {
    laplacian_.block(entry)(0, 0) = pattern->M(entry)(d, d);
  }
  for (int i = 0; i < graph_.num_poses(); ++i) {
    if (graph_.is_position_root(i)) laplacian_.HoldCoordinate(i, 0);
  }
  is_factored_ = laplacian_.Factorize();
}

void PositionSolver::Solve(Poses* X) {
  // Weights that differ by more than the precision: the positions stay.
  if (!is_factored_) return;
  const int d = graph_.dimension();
  const int w = graph_.width();
  // A correction: F is quadratic in the positions.
  const Eigen::MatrixXd G = graph_.TimesM(*X);
  Eigen::VectorXd b(graph_.num_poses());
  for (int k = 0; k < X->rows(); ++k) {
    for (int i = 0; i < graph_.num_poses(); ++i) {
      b[i] = graph_.is_position_root(i) ? 0.0 : G(k, i * w + d);
    }
    const Eigen::VectorXd step = laplacian_.Solve(b);
    for (int i = 0; i < graph_.num_poses(); ++i) {
      (*X)(k, i * w + d) -= step[i];
    }
  }
}

}  // namespace ceres::internal
