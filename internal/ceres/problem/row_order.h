// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_ROW_ORDER_H_
#define CERES_INTERNAL_PROBLEM_ROW_ORDER_H_

#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// Bounds on the sizes of a set of residual blocks.
struct RowSizeBounds {
  int min_residuals, max_residuals;
  int min_arguments, max_arguments;
  // The union of ResidualBlock::flags().
  unsigned flags;
  bool any_loss_function() const {
    return (flags & ResidualBlock::kHasLossFunction) != 0;
  }
  bool any_batch_row() const {
    return (flags & ResidualBlock::kIsBatchRow) != 0;
  }

  // Bounds of the empty set: the identity of Combine.
  static RowSizeBounds OfNone();
  static RowSizeBounds Of(const ResidualBlock& block);
  // Bounds of all `blocks`, found by the threads of `execution`.
  static RowSizeBounds OfAll(const std::vector<ResidualBlock*>& blocks,
                             const Execution& execution);
  // Bounds of the union of two sets.
  static RowSizeBounds Combine(const RowSizeBounds& a, const RowSizeBounds& b);
};

// The order of the rows of a Program, for a list of residual blocks. A caller
// that knows the order passes it; each part may be unknown.
struct RowOrder {
  // The row of each residual block of the list. Empty: not known.
  PagedVector<int> row;
  // The rows of eliminated block e are [eliminated_first_row[e],
  // eliminated_first_row[e + 1]). Empty: not known.
  std::vector<int> eliminated_first_row;
  // Bounds of the list. Zeros: not known.
  RowSizeBounds size_bounds = {};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_ROW_ORDER_H_
