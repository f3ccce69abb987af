// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/row_groups.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ceres/internal/eigen.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

std::vector<RowGroup> RowGroupsOf(const LinearizationData& data) {
  const BlockJacobianStructure& s = data.structure();
  std::vector<RowGroup> groups(s.num_row_blocks());
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    std::vector<int> cells;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      cells.push_back(c);
    }
    std::sort(cells.begin(), cells.end(), [&s](int a, int b) {
      return s.cell_column[a] < s.cell_column[b];
    });
    int num_columns = 0;
    for (const int c : cells) num_columns += s.column_size(s.cell_column[c]);
    const int num_rows = s.row_size(row);
    const double* row_block = data.jacobian.row_block(row);
    RowGroup& group = groups[row];
    group.values.resize(num_rows, num_columns + 1);
    int column = 0;
    for (const int c : cells) {
      const int size = s.column_size(s.cell_column[c]);
      group.blocks.push_back(s.cell_column[c]);
      group.values.middleCols(column, size) =
          ConstMatrixRef(row_block + s.cell_position[c], num_rows, size);
      column += size;
    }
    group.values.col(column) = ConstVectorRef(row_block, num_rows);
  }
  return groups;
}

int CountCoupledPairs(const std::vector<ResidualBlock*>& residual_blocks,
                      const std::vector<ParameterBlock*>& blocks) {
  std::vector<std::pair<int, int>> coupled;
  for (const ResidualBlock* block : residual_blocks) {
    std::vector<int> own;
    for (int k = 0; k < block->num_parameter_blocks(); ++k) {
      const auto place =
          std::lower_bound(blocks.begin(), blocks.end(),
                           block->parameter_blocks()[k], IndexLess);
      if (place != blocks.end() && *place == block->parameter_blocks()[k]) {
        own.push_back(static_cast<int>(place - blocks.begin()));
      }
    }
    std::sort(own.begin(), own.end());
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (std::size_t j = i + 1; j < own.size(); ++j) {
        coupled.emplace_back(own[i], own[j]);
      }
    }
  }
  std::sort(coupled.begin(), coupled.end());
  coupled.erase(std::unique(coupled.begin(), coupled.end()), coupled.end());
  return static_cast<int>(coupled.size());
}

}  // namespace ceres::internal
