// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The common part of the programs pose_graph_2d and pose_graph_3d.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_SOLVE_POSE_GRAPH_FILE_H_
#define VESTA_EXAMPLES_SLAM_COMMON_SOLVE_POSE_GRAPH_FILE_H_

namespace ceres::examples {

// Reads the graph that the flag --input names, solves it, and writes
// poses_original.txt and poses_optimized.txt in the working directory, lines of
// an id and a pose, sorted by id, and the graph with solved values to --output.
// Parses the flags. Returns the exit status.
int SolvePoseGraphFile(int argc, char** argv, int dimension,
                       int max_num_iterations);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_SOLVE_POSE_GRAPH_FILE_H_
