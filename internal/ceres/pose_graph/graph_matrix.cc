// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/graph_matrix.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ceres::internal {

GraphPattern::GraphPattern(const ChordalGraph& graph) : graph_(graph) {
  const int n = graph.num_poses();
  const int w = graph.width();
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < n; ++i) pairs.emplace_back(i, i);
  for (const ChordalGraph::Edge& edge : graph.edges()) {
    pairs.emplace_back(std::min(edge.x, edge.y), std::max(edge.x, edge.y));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  first_entry_.assign(n + 1, 0);
  for (const auto& [row, column] : pairs) {
    row_.push_back(row);
    column_.push_back(column);
    ++first_entry_[row + 1];
  }
  for (int i = 0; i < n; ++i) first_entry_[i + 1] += first_entry_[i];

  M_.assign(pairs.size(), PoseMatrix::Zero(w, w));
  for (const ChordalGraph::Edge& edge : graph.edges()) {
    PoseMatrix omega = PoseMatrix::Identity(w, w) * edge.kappa;
    omega(w - 1, w - 1) = edge.tau;
    const PoseMatrix T_omega = edge.T * omega;
    M_[diagonal(edge.y)] += omega;
    M_[diagonal(edge.x)] += T_omega * edge.T.transpose();
    PoseMatrix& M =
        M_[Entry(std::min(edge.x, edge.y), std::max(edge.x, edge.y))];
    if (edge.x < edge.y) {
      M -= T_omega;
    } else {
      M -= T_omega.transpose();
    }
  }
}

int GraphPattern::Entry(int i, int j) const {
  const auto begin = column_.begin();
  return static_cast<int>(std::lower_bound(begin + first_entry_[i],
                                           begin + first_entry_[i + 1], j) -
                          begin);
}

BlockSymmetricStructure GraphPattern::Structure(int block_size) const {
  BlockSymmetricStructure structure;
  const int n = graph_.num_poses();
  structure.first_entry = first_entry_;
  structure.entry_column = column_;
  for (int i = 0; i < n; ++i) {
    structure.block_offset.push_back(block_size * (i + 1));
  }
  for (int entry = 0; entry < num_entries(); ++entry) {
    structure.value_offset.push_back(structure.value_offset.back() +
                                     block_size * block_size);
  }
  return structure;
}

GraphMatrix::GraphMatrix(GraphPattern* pattern, int block_size,
                         const Execution& execution)
    : pattern_(*pattern),
      block_size_(block_size),
      execution_(execution),
      structure_(pattern->Structure(block_size)),
      values_(structure_.num_values(), 0.0),
      above_(pattern->graph().num_poses()) {
  for (int entry = 0; entry < pattern_.num_entries(); ++entry) {
    if (pattern_.row(entry) == pattern_.column(entry)) continue;
    above_[pattern_.column(entry)].push_back(entry);
  }
  if (size() == 0) return;
  SparseCholesky::Options options;
  options.library = NATIVE_SPARSE;
  options.elimination_order = pattern_.order();
  cholesky_ = SparseCholesky::Create(options, structure_, nullptr);
}

void GraphMatrix::HoldCoordinate(int i, int k) {
  for (int entry = pattern_.diagonal(i);
       entry < pattern_.num_entries() && pattern_.row(entry) == i; ++entry) {
    block(entry).row(k).setZero();
  }
  for (const int entry : above_[i]) block(entry).col(k).setZero();
  Block diagonal = block(pattern_.diagonal(i));
  diagonal.col(k).setZero();
  diagonal(k, k) = 1.0;
}

bool GraphMatrix::Factorize() {
  CheckStop(execution_);
  if (cholesky_ == nullptr) return true;
  std::string message;
  switch (cholesky_->Factorize(execution_, values_.data(), &message)) {
    case LinearSolverTermination::kSuccess:
      return true;
    case LinearSolverTermination::kFatalError:
      throw FatalFactorization{std::move(message)};
    default:
      return false;
  }
}

Eigen::VectorXd GraphMatrix::Solve(const Eigen::VectorXd& b) {
  CheckStop(execution_);
  Eigen::VectorXd x = b;
  if (cholesky_ == nullptr) return x;
  std::string message;
  if (cholesky_->Solve(b.data(), x.data(), &message) !=
      LinearSolverTermination::kSuccess) {
    throw FatalFactorization{std::move(message)};
  }
  return x;
}

}  // namespace ceres::internal
