// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_POSE_GRAPH_START_H_
#define CERES_INTERNAL_POSE_GRAPH_POSE_GRAPH_START_H_

#include "ceres/execution/execution.h"
#include "ceres/pose_graph/chordal_graph.h"
#include "ceres/pose_graph/graph_matrix.h"

namespace ceres::internal {

// Rotations by the relaxed chordal problem, and positions 0. With R_root = I,
//
//   minimize sum kappa |R_y - R_x R_xy|^2   over all matrices R_i,
//
// and the nearest rotations.
Poses ChordalRotations(GraphPattern* pattern, const Execution& execution);

// Compositions along a spanning tree, breadth first from the roots, edges in
// their order.
Poses SpanningTreePoses(const ChordalGraph& graph);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_POSE_GRAPH_START_H_
