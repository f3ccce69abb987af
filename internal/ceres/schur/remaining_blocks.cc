// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/remaining_blocks.h"

#include <algorithm>

namespace ceres::internal {

SchurSizes::SchurSizes(const BlockJacobianStructure& structure) {
  const int num_points = structure.num_eliminated;
  for (int b = 0; b < structure.num_column_blocks(); ++b) {
    int& width = b < num_points ? max_eliminated_width : max_width;
    width = std::max(width, structure.column_size(b));
  }
  // If offsets are computed, not listed, all rows have the same shape.
  const int num_rows = structure.row_offset.is_list()
                           ? structure.num_row_blocks()
                           : std::min(structure.num_row_blocks(), 1);
  for (int row = 0; row < num_rows; ++row) {
    max_residuals = std::max(max_residuals, structure.row_size(row));
  }
  for (int p = 0; p < num_points; ++p) {
    const int residuals =
        structure.row_offset[structure.eliminated_first_row[p + 1]] -
        structure.row_offset[structure.eliminated_first_row[p]];
    max_point_residuals = std::max(max_point_residuals, residuals);
  }
}

}  // namespace ceres::internal
