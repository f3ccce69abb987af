// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_RANK_COLUMNS_H_
#define CERES_INTERNAL_DISTRIBUTED_RANK_COLUMNS_H_

#include <vector>

#include "ceres/distributed/local_leaf.h"
#include "ceres/distributed/shared_layout.h"
#include "ceres/execution/execution.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The columns of one rank, in the order in which the minimizer has them:
//
// clang-format off
//     | eliminated, leaf 0 | eliminated, leaf 1 | .. | column blocks of S, by number |
//                                                     | home of leaf 0 | of leaf 1 | ..
// clang-format on
//
// The column blocks of S are those that the rank has, whether its residual
// blocks use them or not. They are sorted by home leaf, so that those of a home
// leaf are consecutive.
class RankColumns {
 public:
  RankColumns(const SharedLayout& layout, const std::vector<LocalLeaf>& leaves,
              const Execution& execution);

  // A program of these columns without residual blocks.
  const Program& program() const { return program_; }
  int num_leaves() const { return static_cast<int>(first_private_.size()) - 1; }

  // Ranges of column blocks.
  struct Range {
    int begin;
    int end;
  };
  Range PrivateColumns(int leaf) const {
    return {first_private_[leaf], first_private_[leaf + 1]};
  }
  Range HomeColumns(int leaf) const { return home_[leaf]; }
  Range RemainingColumns() const {
    return {first_private_.back(), program_.num_column_blocks()};
  }
  // A leaf's term of x'y: over its private columns and the columns of the
  // reduced system that it is the home leaf of. offset: of the column blocks in
  // x and y.
  double DotOfLeaf(const Execution& execution, const std::vector<int>& offset,
                   int leaf, const double* x, const double* y) const;
  // The column block that has a number in the reduced system, which must be on
  // this rank.
  int ColumnOfNumber(int number) const;

 private:
  std::vector<int> first_private_ = {0};  // by leaf, +1
  std::vector<Range> home_;               // by leaf
  const std::vector<int> numbers_;        // of the remaining columns
  const Program program_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_RANK_COLUMNS_H_
