// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_TREE_BALANCE_H_
#define CERES_INTERNAL_SPARSE_TREE_BALANCE_H_

#include <vector>

#include "ceres/sparse/supernodes.h"

namespace ceres::internal {

// An ordering with the same fill and the same number of operations, but a lower
// tree, so that more of it can be done at the same time. Empty: the tree is low
// enough, or the work too little to be shared.
//
// The columns and rows of the supernodes are the nodes of a clique tree of the
// filled graph, and such a tree may be rooted anywhere (Blair and Peyton, An
// Introduction to Chordal Graphs and Clique Trees, 1993; Liu, Equivalent Sparse
// Matrix Reordering by Elimination Tree Rotations, SIAM J. Scientific and
// Statistical Computing 9, 1988): here in the middle of its longest path. Of a
// chain or a ring, which minimum degree eliminates from one end to the other,
// both halves are eliminated at once:
//
//     1 - 2 - 3 - 4 - 5 - 6 - 7     becomes     1 - 3 - 5 - 7 - 6 - 4 - 2
//
// weight: scalars of each node of the graph. Linear time in the supernodes'
// rows.
std::vector<int> BalancedOrder(const Supernodes& supernodes,
                               const std::vector<int>& weight);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_TREE_BALANCE_H_
