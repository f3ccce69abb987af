// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_POSITION_SOLVER_H_
#define CERES_INTERNAL_POSE_GRAPH_POSITION_SOLVER_H_

#include "ceres/execution/execution.h"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/pose_graph/graph_matrix.h"

namespace ceres::internal {

// The positions of least F for given rotations of any rank: a linear system
// with the Laplacian of the graph, weighted by tau, which is factored once.
// Positions of position roots stay. Not thread-safe.
class PositionSolver {
 public:
  // pattern outlives this.
  PositionSolver(GraphPattern* pattern, const Execution& execution);

  void Solve(Poses* X);

 private:
  const ChordalGraph& graph_;
  GraphMatrix laplacian_;
  bool is_factored_ = false;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_POSITION_SOLVER_H_
