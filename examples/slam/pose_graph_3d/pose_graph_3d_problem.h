// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_POSE_GRAPH_3D_PROBLEM_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_POSE_GRAPH_3D_PROBLEM_H_

#include "ceres/io/pose_graph.h"
#include "ceres/problem.h"

namespace ceres::examples {

// Adds a residual block for each edge of a graph of space, in the order of
// edges, on the vertices in place: graph must outlive problem. Parameter blocks
// are positions (3) and quaternions (4) of poses, and landmarks (3). Fixed
// vertices are constant, and the one of VertexToHold (slam/common/gauge.h).
void BuildSpatialProblem(io::PoseGraph* graph, Problem* problem);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_3D_POSE_GRAPH_3D_PROBLEM_H_
