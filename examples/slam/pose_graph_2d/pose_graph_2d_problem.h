// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_PROBLEM_H_
#define VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_PROBLEM_H_

#include "ceres/problem.h"
#include "slam/pose_graph_2d/types.h"

namespace ceres::examples {

// Adds a residual block for each constraint, on the poses in place: graph must
// outlive problem, and its ids must all exist, as ReadG2oFile sees to. The pose
// of the smallest id that a constraint touches is held constant: constraints
// are relative, so the cost would not change if all poses moved together.
void BuildProblem(PoseGraph2d* graph, Problem* problem);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_POSE_GRAPH_2D_POSE_GRAPH_2D_PROBLEM_H_
