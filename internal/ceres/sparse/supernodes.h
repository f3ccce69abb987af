// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SUPERNODES_H_
#define CERES_INTERNAL_SPARSE_SUPERNODES_H_

#include <vector>

#include "ceres/sparse/elimination_tree.h"

namespace ceres::internal {

// The supernodes of a Cholesky factor. A supernode is a set of consecutive
// columns with (almost) the same rows below the diagonal; it is factored as one
// dense front.
struct Supernodes {
  // order[k] is the node of the graph at position k of the elimination.
  std::vector<int> order;
  // Supernode s has the positions [first_position[s], first_position[s + 1]).
  std::vector<int> first_position = {0};
  // The parent of each supernode; -1: a root. Children come before parents;
  // subtrees are contiguous.
  std::vector<int> parent;
  // The positions of the rows below supernode s are row[first_row[s] ..
  // first_row[s + 1]), ascending. They are a subset of the positions and rows
  // of the parent.
  std::vector<int> first_row = {0};
  std::vector<int> row;

  int size() const { return static_cast<int>(parent.size()); }
};

// Finds the supernodes and the rows of the factor. weight: the scalars of each
// node. order: a fill-reducing ordering. The order of the result has the same
// fill; it is a postorder of the elimination tree, so that supernodes are
// contiguous.
//
// Small supernodes are merged with their parents (relaxed supernodes: Ashcraft
// and Grimes, ACM Transactions on Mathematical Software 15, 1989). A merged
// supernode stores some zeros; multiplying by them costs less than a front.
Supernodes FindSupernodes(const SymmetricGraph& graph,
                          const std::vector<int>& weight,
                          const std::vector<int>& order);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SUPERNODES_H_
