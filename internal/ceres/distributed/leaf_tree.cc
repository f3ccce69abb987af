// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/leaf_tree.h"

#include <utility>

namespace ceres::internal {

LeafTree::LeafTree(std::vector<int> owner) : owner_(std::move(owner)) {
  if (!owner_.empty()) FindWholeNodes(root());
}

int LeafTree::Split(const LeafRange& node) {
  int left = 1;
  while (2 * left < node.size()) left *= 2;
  return node.begin + left;
}

int LeafTree::OwnerOf(const LeafRange& node) const {
  for (int leaf = node.begin; leaf < node.end; ++leaf) {
    if (owner_[leaf] != owner_[node.begin]) return -1;
  }
  return owner_[node.begin];
}

void LeafTree::FindWholeNodes(const LeafRange& node) {
  if (OwnerOf(node) >= 0) {
    whole_nodes_.push_back(node);
    return;
  }
  const int split = Split(node);
  FindWholeNodes({node.begin, split});
  FindWholeNodes({split, node.end});
}

double LeafTree::Sum(const double* values) const {
  if (owner_.empty()) return 0.0;
  struct Recursion {
    const double* values;
    double operator()(const LeafRange& node) const {
      if (node.size() == 1) return values[node.begin];
      const int split = Split(node);
      const double left = (*this)({node.begin, split});
      return left + (*this)({split, node.end});
    }
  };
  return Recursion{values}(root());
}

void ArraySum::Compute(const LeafRange& node, int depth, double* sum) {
  if (fill_(node, Use::kOverwrite, sum)) return;
  const int split = LeafTree::Split(node);
  Compute({node.begin, split}, depth, sum);
  if (fill_({split, node.end}, Use::kAdd, sum)) return;
  while (static_cast<int>(scratch_.size()) <= depth) {
    scratch_.emplace_back();
  }
  scratch_[depth].resize(size_);
  // Deeper calls may enlarge scratch_, which moves its elements but not their
  // memory.
  double* const right = scratch_[depth].data();
  Compute({split, node.end}, depth + 1, right);
  add_(right, sum);
}

}  // namespace ceres::internal
