// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_POSE_GRAPH_CHORDAL_GRAPH_H_
#define CERES_INTERNAL_POSE_GRAPH_CHORDAL_GRAPH_H_

#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/io/pose_graph.h"

namespace ceres::internal {

// A square matrix of a pose or an edge: up to (d + 1) x (d + 1).
using PoseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                 Eigen::ColMajor, 4, 4>;

// Poses of rank r >= d, side by side: r x (d + 1) n numbers. The block of pose
// i is X_i = [Y_i, p_i], with orthonormal columns Y_i (r x d), a rotation if r
// = d, and the position p_i.
using Poses = Eigen::MatrixXd;

// The chordal problem of a pose graph:
//
//   F(X) = sum_edges |(X_y - X_x T) Omega^1/2|^2 = trace(X M X'),
//   T = [R, t; 0, 1],  Omega = diag(kappa, ..., kappa, tau)
//
// which is the sum of ceres/pose_graph.h, written with homogeneous matrices.
// Immutable after Create; thread-safe.
class ChordalGraph {
 public:
  struct Edge {
    int x = 0;
    int y = 0;
    PoseMatrix T;
    double kappa = 0.0;
    double tau = 0.0;
  };

  // Returns false and says why if the graph is refused.
  [[nodiscard]] bool Create(const io::PoseGraph& graph, std::string* error);

  int dimension() const { return dimension_; }
  // The columns of a pose.
  int width() const { return dimension_ + 1; }
  int num_poses() const { return num_poses_; }
  int num_parts() const { return num_parts_; }
  const std::vector<Edge>& edges() const { return edges_; }

  // The pose that keeps its value in the part of pose i.
  int root(int i) const { return root_[i]; }
  bool is_root(int i) const { return root_[i] == i; }
  // Whether F does not change when all positions that are connected with that
  // of pose i by edges with tau > 0 move together, and pose i stands for them.
  bool is_position_root(int i) const { return position_root_[i] == i; }
  bool is_rotation_root(int i) const { return rotation_root_[i] == i; }

  // W of the certificate: the sum of kappa over the edges of pose i. If it is
  // 0, the sum of tau |t|^2 over the edges that begin there.
  const std::vector<double>& weights() const { return weights_; }
  // d times the sum of W.
  double total_weight() const { return total_weight_; }

  // min over edges of the largest s with I >= s diag(tau, 2 kappa).
  double isotropy() const { return isotropy_; }
  bool is_anisotropic() const { return is_anisotropic_; }

  // F(X), summed over squares.
  double Cost(const Poses& X) const;
  // About the F(X) that rounding errors of X make where all edges fit exactly.
  double Rounding(const Poses& X) const;
  // X M for any matrix X of width() n columns.
  Eigen::MatrixXd TimesM(const Eigen::MatrixXd& X) const;

  // Poses with the root of each part at the identity, and back: the poses of
  // `graph` keep those of the roots.
  Poses ReadPoses(const io::PoseGraph& graph) const;
  void WritePoses(const Poses& X, io::PoseGraph* graph) const;

 private:
  bool AddEdge(const io::PoseGraph& graph, int index, std::string* error);
  void Connect(const io::PoseGraph& graph);
  bool CheckVertices(const io::PoseGraph& graph, std::string* error) const;

  int dimension_ = 2;
  int num_poses_ = 0;
  int num_parts_ = 0;
  std::vector<Edge> edges_;
  std::vector<int> root_;
  std::vector<int> position_root_;
  std::vector<int> rotation_root_;
  std::vector<double> weights_;
  double total_weight_ = 0.0;
  double isotropy_ = 1.0;
  bool is_anisotropic_ = false;
};

// The homogeneous matrix of a pose in the layout of io::PoseGraph, and back.
PoseMatrix ToPoseMatrix(int dimension, const io::PoseGraph::Values& pose);
io::PoseGraph::Values FromPoseMatrix(const PoseMatrix& pose);

// The inverse of a homogeneous matrix.
PoseMatrix InversePose(const PoseMatrix& pose);

// The rotation next to a matrix in the Frobenius norm: the orthogonal factor of
// its polar decomposition, with the least singular direction reversed where
// this is a reflection (Arun, Huang and Blostein, 1987; Umeyama, 1991).
PoseMatrix NearestRotation(const PoseMatrix& A);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_POSE_GRAPH_CHORDAL_GRAPH_H_
