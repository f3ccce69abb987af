// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_GEODESIC_PROBLEM_H_
#define CERES_INTERNAL_POSE_GRAPH_GEODESIC_PROBLEM_H_

#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/io/pose_graph.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"

namespace ceres::internal {

// The least-squares problem of a graph of relative poses: a
// factors::BetweenFactor for each edge, of the group SE2 or EigenSE3. The graph
// is one that ChordalGraph accepts. Owns the parameters.
class GeodesicProblem {
 public:
  // Reads the poses of the graph, which outlives this. Adds no edge. context:
  // null, or that of the problem; outlives this.
  GeodesicProblem(const io::PoseGraph& graph, Context* context);

  Problem* problem() { return &problem_; }
  void AddEdge(int edge);
  // Adds the parameter block of a pose, if the problem does not have it, and
  // holds it constant.
  void Hold(int vertex);
  // Reads a pose; before its first edge is added, or after.
  void SetPose(int vertex, const io::PoseGraph::Values& pose);
  io::PoseGraph::Values Pose(int vertex) const;

 private:
  double* Block(int vertex) { return values_.data() + vertex * size_; }
  void AddPose(int vertex);

  const io::PoseGraph& graph_;
  const int size_;
  std::vector<double> values_;
  std::unique_ptr<Manifold> manifold_;
  Problem problem_;
};

// The layouts of factors, rotation first: [angle, x, y] and [q, t].
void ToFactorLayout(int dimension, const io::PoseGraph::Values& pose,
                    double* block);
io::PoseGraph::Values FromFactorLayout(int dimension, const double* block);

// Information matrices of n x n numbers with the position first, and with the
// rotation first. The same permutation goes both ways for space only.
Eigen::MatrixXd RotationFirst(int dimension,
                              const Eigen::MatrixXd& information);
Eigen::MatrixXd PositionFirst(int dimension,
                              const Eigen::MatrixXd& information);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_GEODESIC_PROBLEM_H_
