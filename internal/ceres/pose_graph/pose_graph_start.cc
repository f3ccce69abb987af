// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/pose_graph_start.h"

#include <algorithm>
#include <vector>

namespace ceres::internal {
namespace {

// All poses at the identity.
Poses Identities(const ChordalGraph& graph) {
  const int d = graph.dimension();
  const int w = graph.width();
  Poses X = Poses::Zero(d, w * graph.num_poses());
  for (int i = 0; i < graph.num_poses(); ++i) {
    X.middleCols(i * w, d).setIdentity();
  }
  return X;
}

}  // namespace

Poses ChordalRotations(GraphPattern* pattern, const Execution& execution) {
  const ChordalGraph& graph = pattern->graph();
  const int d = graph.dimension();
  const int w = graph.width();
  // The matrix of rotations alone: M without tau.
  GraphMatrix matrix(pattern, d, execution);
  Eigen::MatrixXd b = Eigen::MatrixXd::Zero(d * graph.num_poses(), d);
  for (const ChordalGraph::Edge& edge : graph.edges()) {
    const PoseMatrix R = edge.T.topLeftCorner(d, d);
    for (const int i : {edge.x, edge.y}) {
      matrix.block(pattern->diagonal(i)).diagonal().array() += edge.kappa;
    }
    auto block = matrix.block(
        pattern->Entry(std::min(edge.x, edge.y), std::max(edge.x, edge.y)));
    if (edge.x < edge.y) {
      block -= edge.kappa * R;
    } else {
      block -= edge.kappa * R.transpose();
    }
    // A root stays at the identity: its column moves to the right-hand side.
    if (graph.is_rotation_root(edge.x)) {
      b.middleRows(edge.y * d, d) += edge.kappa * R.transpose();
    }
    if (graph.is_rotation_root(edge.y)) {
      b.middleRows(edge.x * d, d) += edge.kappa * R;
    }
  }
  for (int i = 0; i < graph.num_poses(); ++i) {
    if (!graph.is_rotation_root(i)) continue;
    for (int k = 0; k < d; ++k) matrix.HoldCoordinate(i, k);
    b.middleRows(i * d, d).setIdentity();
  }
  Poses X = Identities(graph);
  if (!matrix.Factorize()) return X;
  Eigen::MatrixXd solution(b.rows(), d);
  for (int k = 0; k < d; ++k) solution.col(k) = matrix.Solve(b.col(k));
  for (int i = 0; i < graph.num_poses(); ++i) {
    X.middleCols(i * w, d) =
        NearestRotation(solution.middleRows(i * d, d).transpose());
  }
  return X;
}

Poses SpanningTreePoses(const ChordalGraph& graph) {
  const int d = graph.dimension();
  const int w = graph.width();
  const int n = graph.num_poses();
  std::vector<std::vector<int>> edges_of(n);
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    edges_of[graph.edges()[e].x].push_back(static_cast<int>(e));
    edges_of[graph.edges()[e].y].push_back(static_cast<int>(e));
  }
  Poses X = Identities(graph);
  std::vector<char> is_known(n, 0);
  std::vector<int> queue;
  for (int i = 0; i < n; ++i) {
    if (!graph.is_root(i)) continue;
    is_known[i] = 1;
    queue.push_back(i);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int i = queue[next];
    PoseMatrix pose = PoseMatrix::Identity(w, w);
    pose.topRows(d) = X.middleCols(i * w, w);
    for (const int e : edges_of[i]) {
      const ChordalGraph::Edge& edge = graph.edges()[e];
      const int other = edge.x == i ? edge.y : edge.x;
      if (is_known[other]) continue;
      is_known[other] = 1;
      queue.push_back(other);
      const PoseMatrix composed =
          pose * (edge.x == i ? edge.T : InversePose(edge.T));
      X.middleCols(other * w, w) = composed.topRows(d);
    }
  }
  return X;
}

}  // namespace ceres::internal
