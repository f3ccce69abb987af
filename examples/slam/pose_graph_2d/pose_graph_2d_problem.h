// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_PROBLEM_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_PROBLEM_H_

#include "ceres/io/pose_graph.h"
#include "ceres/problem.h"

namespace ceres::examples {

// Adds a residual block for each edge of a graph of the plane, in the order of
// edges, on the vertices in place: graph must outlive problem. Parameter blocks
// are x, y and yaw of poses, of size 1 each, and landmarks of size 2. Fixed
// vertices are constant, and the one of VertexToHold (slam/common/gauge.h).
// Angles of poses are brought to [-pi, pi).
void BuildPlanarProblem(io::PoseGraph* graph, Problem* problem);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_PROBLEM_H_
