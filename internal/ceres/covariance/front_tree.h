// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_FRONT_TREE_H_
#define CERES_INTERNAL_COVARIANCE_FRONT_TREE_H_

#include <vector>

#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// A dense piece of a sparse QR factorization: the rows of J, and what is left
// of the rows of the children, that touch its pivots.
//
//                pivots       rest
//     rows     [   A           B   ]   Q' A = R, Q' B = [S; T]
//     children [   .           .   ]   [R S] is part of the result, T goes up
//
// Blocks are named by position in the order of elimination.
struct QrFront {
  int parent = -1;  // -1: a root
  int first_pivot = 0;
  int num_pivots = 0;       // blocks
  std::vector<int> blocks;  // the pivots, then the rest, ascending
  std::vector<int> offset;  // scalar column of each block in the front, +1
  std::vector<int> rows;    // row blocks of J whose first block is a pivot
  std::vector<int> children;

  int num_columns() const { return offset.back(); }
  int num_pivot_columns() const { return offset[num_pivots]; }
  int num_rest_columns() const { return num_columns() - num_pivot_columns(); }
};

// The symbolic part of a multifrontal QR factorization: the elimination tree of
// the column blocks, in postorder, with neighbours on a path merged where that
// adds few zeros. Immutable.
struct FrontTree {
  // `elimination_order[k]`: the column block to eliminate as k-th; the tree's
  // own order is a postorder of it. Time about linear in the size of the
  // fronts.
  FrontTree(const BlockJacobianStructure& structure,
            const std::vector<int>& elimination_order);

  std::vector<int> block_at;             // column block of J at each position
  std::vector<int> position;             // the inverse
  std::vector<int> scalar_offset = {0};  // of each position, +1
  std::vector<int> front_of;             // of each position
  std::vector<QrFront> fronts;           // children before parents
  // Fronts by height: all of levels[h] have their children in lower levels.
  std::vector<std::vector<int>> levels;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_FRONT_TREE_H_
