// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SUPERNODES_H_
#define CERES_INTERNAL_SPARSE_SUPERNODES_H_

#include <vector>

#include "ceres/sparse/elimination_tree.h"

namespace ceres::internal {

// The columns of a Cholesky factor in supernodes: neighbouring columns with
// (nearly) the same rows below, which are factored as one dense front.
struct Supernodes {
  // order[k] is the node of the graph that is eliminated as number k.
  std::vector<int> order;
  // Supernode s has the positions [first_position[s], first_position[s + 1]).
  std::vector<int> first_position = {0};
  // Of each supernode; -1: a root. Children come before parents, and subtrees
  // are contiguous.
  std::vector<int> parent;
  // The positions of the rows below s, ascending: row[first_row[s] ..
  // first_row[s + 1]). They are among the positions and rows of the parent.
  std::vector<int> first_row = {0};
  std::vector<int> row;

  int size() const { return static_cast<int>(parent.size()); }
};

// Finds supernodes and the rows of the factor. weight: scalars of each node.
// `order` is a fill-reducing ordering; the result has the same fill, reordered
// within the elimination tree so that supernodes are contiguous, and the zeros
// that relaxed supernodes store (Ashcraft and Grimes, The Influence of Relaxed
// Supernode Partitions on the Multifrontal Method, ACM Transactions on
// Mathematical Software 15, 1989): where fronts are small, opening one costs
// more than some multiplications with zero.
Supernodes FindSupernodes(const SymmetricGraph& graph,
                          const std::vector<int>& weight,
                          const std::vector<int>& order);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SUPERNODES_H_
