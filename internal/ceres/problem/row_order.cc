// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/row_order.h"

#include <algorithm>
#include <limits>

#include "ceres/execution/loops.h"

namespace ceres::internal {

RowSizeBounds RowSizeBounds::OfNone() {
  constexpr int kMost = std::numeric_limits<int>::max();
  return {kMost, 0, kMost, 0, 0};
}

RowSizeBounds RowSizeBounds::Of(const ResidualBlock& block) {
  const int residuals = block.num_residuals();
  const int arguments = block.num_parameter_blocks();
  return {residuals, residuals, arguments, arguments, block.flags()};
}

RowSizeBounds RowSizeBounds::Combine(const RowSizeBounds& a,
                                     const RowSizeBounds& b) {
  return {std::min(a.min_residuals, b.min_residuals),
          std::max(a.max_residuals, b.max_residuals),
          std::min(a.min_arguments, b.min_arguments),
          std::max(a.max_arguments, b.max_arguments), a.flags | b.flags};
}

RowSizeBounds RowSizeBounds::OfAll(const std::vector<ResidualBlock*>& blocks,
                                   const Execution& execution) {
  // Residual blocks that are worth a piece of a parallel loop.
  constexpr int kBlocksPerPiece = 256;
  return ParallelReduce(
      execution, 0, static_cast<int>(blocks.size()), RowSizeBounds::OfNone(),
      [&](IndexRange range) {
        RowSizeBounds size_bounds = RowSizeBounds::OfNone();
        for (int i = range.begin; i < range.end; ++i) {
          size_bounds = RowSizeBounds::Combine(size_bounds,
                                               RowSizeBounds::Of(*blocks[i]));
        }
        return size_bounds;
      },
      RowSizeBounds::Combine, kBlocksPerPiece);
}

}  // namespace ceres::internal
