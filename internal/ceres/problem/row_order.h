// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_ROW_ORDER_H_
#define CERES_INTERNAL_PROBLEM_ROW_ORDER_H_

#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// Of some residual blocks.
struct RowSizeBounds {
  int min_residuals, max_residuals;
  int min_arguments, max_arguments;
  bool any_loss_function;

  static RowSizeBounds OfNone();
  static RowSizeBounds Of(const ResidualBlock& block);
  static RowSizeBounds Combine(const RowSizeBounds& a, const RowSizeBounds& b);
};

// What the maker of a Program may know of a list of residual blocks already:
// the row of each, those of eliminated block e being [eliminated_first_row[e],
// eliminated_first_row[e + 1]) (empty: not known), and their size bounds
// (zeros: not known).
struct RowOrder {
  PagedVector<int> row;
  std::vector<int> eliminated_first_row;
  RowSizeBounds size_bounds = {};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_ROW_ORDER_H_
