// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/normal_pattern.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Rows of at most max_cells cells of random columns, in random order.
BlockJacobianStructure RandomRows(const std::vector<int>& widths, int num_rows,
                                  int max_cells, int seed) {
  std::mt19937 random(seed);
  BlockJacobianStructure structure;
  for (const int width : widths) {
    structure.column_offset.push_back(structure.column_offset.back() + width);
  }
  std::vector<int> columns(widths.size());
  for (size_t i = 0; i < widths.size(); ++i) columns[i] = static_cast<int>(i);
  for (int row = 0; row < num_rows; ++row) {
    std::shuffle(columns.begin(), columns.end(), random);
    const int num_cells = static_cast<int>(random() % (max_cells + 1));
    AppendRowBlock(1 + static_cast<int>(random() % 3),
                   {columns.begin(), columns.begin() + num_cells}, &structure);
  }
  return structure;
}

bool ShareARow(const BlockJacobianStructure& s, int a, int b) {
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    bool has_a = false, has_b = false;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      has_a |= s.cell_column[c] == a;
      has_b |= s.cell_column[c] == b;
    }
    if (has_a && has_b) return true;
  }
  return false;
}

TEST(NormalPattern, HasTheBlocksWhoseColumnsShareARow) {
  struct {
    std::vector<int> widths;
    int rows, max_cells;
  } shapes[] = {{{}, 0, 0},
                {{3}, 0, 0},
                {{3}, 2, 1},
                {{2, 5, 1}, 0, 0},
                {{1, 1, 1, 1}, 2, 4},
                {{6, 3, 3, 6, 3, 6, 1, 9, 4}, 7, 3},
                {std::vector<int>(40, 6), 60, 2},
                {std::vector<int>(25, 2), 30, 5}};
  int seed = 0;
  for (const auto& shape : shapes) {
    SCOPED_TRACE(++seed);
    const BlockJacobianStructure s =
        RandomRows(shape.widths, shape.rows, shape.max_cells, seed);
    const BlockSymmetricStructure pattern = NormalPattern(s);
    BlockSymmetricStructure expected;
    expected.block_offset = s.column_offset;
    for (int a = 0; a < s.num_column_blocks(); ++a) {
      for (int b = a; b < s.num_column_blocks(); ++b) {
        if (b > a && !ShareARow(s, a, b)) continue;
        expected.entry_column.push_back(b);
        expected.value_offset.push_back(expected.value_offset.back() +
                                        shape.widths[a] * shape.widths[b]);
      }
      expected.first_entry.push_back(
          static_cast<int>(expected.entry_column.size()));
    }
    EXPECT_EQ(pattern.block_offset, expected.block_offset);
    EXPECT_EQ(pattern.first_entry, expected.first_entry);
    EXPECT_EQ(pattern.entry_column, expected.entry_column);
    EXPECT_EQ(pattern.value_offset, expected.value_offset);
  }
}

}  // namespace
}  // namespace ceres::internal
