// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_TREE_BALANCE_H_
#define CERES_INTERNAL_SPARSE_TREE_BALANCE_H_

#include <vector>

#include "ceres/sparse/supernodes.h"

namespace ceres::internal {

// Returns an ordering with the same fill and the same number of operations, but
// a lower elimination tree, so that more fronts are independent. Empty if the
// tree is low enough or the work is too little to be shared.
//
// The columns and rows of the supernodes are the nodes of a clique tree of the
// filled graph. A clique tree may be rooted at each of its nodes (Blair and
// Peyton, An Introduction to Chordal Graphs and Clique Trees, 1993; Liu,
// Equivalent Sparse Matrix Reordering by Elimination Tree Rotations, SIAM J.
// Scientific and Statistical Computing 9, 1988). Here the root is the middle of
// the longest path. Minimum degree eliminates a chain from one end to the
// other; the balanced order eliminates both halves at the same time:
//
// clang-format off
//     order   1 - 2 - 3 - 4 - 5 - 6 - 7     becomes     1 - 3 - 5 - 7 - 6 - 4 - 2
//     tree    7                                         7
//             6                                         5   6
//             ...                                       3   4
//             1                                         1   2
// clang-format on
//
// weight: the scalars of each node of the graph. Time is linear in the rows of
// the supernodes.
std::vector<int> BalancedOrder(const Supernodes& supernodes,
                               const std::vector<int>& weight);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_TREE_BALANCE_H_
