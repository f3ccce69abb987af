// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/normal_pattern.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ceres::internal {
namespace {

void SetValueOffsets(BlockSymmetricStructure* pattern) {
  const std::vector<int>& offset = pattern->block_offset;
  pattern->value_offset.resize(pattern->entry_column.size() + 1);
  int64_t end = 0;
  for (int i = 0; i < pattern->num_blocks(); ++i) {
    const int64_t height = offset[i + 1] - offset[i];
    for (int e = pattern->first_entry[i]; e < pattern->first_entry[i + 1];
         ++e) {
      const int column = pattern->entry_column[e];
      end += height * (offset[column + 1] - offset[column]);
      pattern->value_offset[e + 1] = end;
    }
  }
}

}  // namespace

BlockSymmetricStructure NormalPattern(const BlockJacobianStructure& s,
                                      const CellsByColumn& cells) {
  BlockSymmetricStructure pattern;
  pattern.block_offset = s.column_offset;
  std::vector<int> seen_by(s.num_column_blocks(), -1);
  std::vector<int>& columns = pattern.entry_column;
  for (int i = 0; i < s.num_column_blocks(); ++i) {
    columns.push_back(i);
    const size_t first = columns.size();
    for (int k = cells.first[i]; k < cells.first[i + 1]; ++k) {
      const int row = cells.cells[k].row;
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int column = s.cell_column[c];
        if (column <= i || seen_by[column] == i) continue;
        seen_by[column] = i;
        columns.push_back(column);
      }
    }
    std::sort(columns.begin() + static_cast<std::ptrdiff_t>(first),
              columns.end());
    pattern.first_entry.push_back(static_cast<int>(columns.size()));
  }
  SetValueOffsets(&pattern);
  return pattern;
}

BlockSymmetricStructure NormalPattern(const BlockJacobianStructure& structure) {
  return NormalPattern(structure, CellsByColumn(structure));
}

}  // namespace ceres::internal
