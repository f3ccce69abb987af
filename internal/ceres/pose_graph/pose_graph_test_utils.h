// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_POSE_GRAPH_TEST_UTILS_H_
#define CERES_INTERNAL_POSE_GRAPH_POSE_GRAPH_TEST_UTILS_H_

#include <random>
#include <vector>

#include "Eigen/Core"
#include "ceres/io/pose_graph.h"

namespace ceres::internal {

// What a random graph has.
struct RandomGraphOptions {
  int dimension = 3;
  int num_poses = 30;
  // Beside a chain through all poses.
  int num_loops = 30;
  // Standard deviations of the measurements: radians, lengths. The map is 10
  // lengths wide.
  double rotation_noise = 0.05;
  double position_noise = 0.05;
};

// A graph whose values are the true poses, and whose information matrices are
// those of the noise (of 0.1 if there is none).
io::PoseGraph MakeRandomGraph(const RandomGraphOptions& options,
                              std::mt19937* random);

// A ring of poses of which neighbours are measured, with little noise. Its
// values are turned: pose i by turns 2 pi i / n about the axis of the ring, so
// that neighbours still nearly agree.
io::PoseGraph MakeTurnedRing(int dimension, int num_poses, int turns,
                             double noise, std::mt19937* random);

// Adds noise to the values of all vertices but the first.
void PerturbPoses(double rotation_noise, double position_noise,
                  std::mt19937* random, io::PoseGraph* graph);

// An edge between two vertices with an isotropic information matrix.
io::PoseGraph::Edge MakeEdge(int dimension, int x, int y,
                             const io::PoseGraph::Values& measurement,
                             double rotation_sigma, double position_sigma);

// All values, one pose behind the other.
std::vector<double> ValuesOf(const io::PoseGraph& graph);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_POSE_GRAPH_TEST_UTILS_H_
