// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Pose graphs of the plane and of space, for programs that take both.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_POSE_GRAPH_PROBLEM_H_
#define VESTA_EXAMPLES_SLAM_COMMON_POSE_GRAPH_PROBLEM_H_

#include "ceres/io/g2o.h"
#include "ceres/problem.h"
#include "slam/pose_graph_2d/pose_graph_2d_problem.h"
#include "slam/pose_graph_3d/pose_graph_3d_problem.h"

namespace ceres::examples {

// The problem of a graph, of either dimension, which must outlive it.
inline void BuildProblem(io::PoseGraph* graph, Problem* problem) {
  if (graph->dimension == 2) {
    BuildPlanarProblem(graph, problem);
  } else {
    BuildSpatialProblem(graph, problem);
  }
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_POSE_GRAPH_PROBLEM_H_
