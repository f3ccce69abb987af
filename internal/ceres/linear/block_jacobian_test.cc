// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/block_jacobian.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::ElementsAre;

void ExpectEqualRows(const BlockJacobianStructure& a,
                     const BlockJacobianStructure& b) {
  EXPECT_EQ(a.row_offset.ToVector(), b.row_offset.ToVector());
  EXPECT_EQ(a.first_cell.ToVector(), b.first_cell.ToVector());
  EXPECT_EQ(a.cell_column, b.cell_column);
  EXPECT_EQ(a.cell_position.ToVector(), b.cell_position.ToVector());
  EXPECT_EQ(a.row_block_offset.ToVector(), b.row_block_offset.ToVector());
}

TEST(AppendRowBlock, LaysOutResidualsThenCells) {
  BlockJacobianStructure s;
  s.column_offset = {0, 3, 5};
  AppendRowBlock(2, {1, 0}, &s);
  AppendRowBlock(1, {}, &s);
  AppendRowBlock(1, {0}, &s);
  EXPECT_THAT(s.row_offset.ToVector(), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(s.row_block_offset.ToVector(), ElementsAre(0, 2 + 4 + 6, 13, 17));
  EXPECT_THAT(s.first_cell.ToVector(), ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(s.cell_column, ElementsAre(1, 0, 0));
  EXPECT_THAT(s.cell_position.ToVector(), ElementsAre(2, 6, 1));
}

TEST(PlaceCells, GivesWhatAppendingRowByRowGives) {
  const std::vector<std::vector<int>> columns = {{1, 0}, {}, {2}, {0, 2, 1}};
  const std::vector<int> num_residuals = {2, 1, 3, 2};
  BlockJacobianStructure appended;
  appended.column_offset = {0, 3, 5, 9};
  BlockJacobianStructure placed = appended;
  placed.first_cell.Resize(columns.size() + 1);
  placed.row_offset.Resize(columns.size() + 1);
  for (size_t row = 0; row < columns.size(); ++row) {
    AppendRowBlock(num_residuals[row], columns[row], &appended);
    placed.row_offset.list()[row + 1] =
        placed.row_offset[row] + num_residuals[row];
    placed.first_cell.list()[row + 1] = static_cast<int>(columns[row].size());
  }
  AllocateCells(&placed);
  for (const int row : {3, 0, 2, 1})
    PlaceCells(row, columns[row].data(), &placed);
  PlaceRowBlocks(&placed);
  ExpectEqualRows(placed, appended);
}

TEST(PlaceAlikeRows, GivesWhatAppendingRowByRowGives) {
  // Places in a row block come back with a power of 2 of cells, or are a list.
  for (const int num_cells : {0, 1, 2, 3, 4, 5}) {
    BlockJacobianStructure appended;
    std::vector<int> sizes;
    for (int column = 0; column < 2 * num_cells; ++column) {
      if (column < num_cells) sizes.push_back(1 + column % 3);
      appended.column_offset.push_back(appended.column_offset.back() +
                                       sizes[column % num_cells]);
    }
    BlockJacobianStructure placed = appended;
    constexpr int kNumRows = 5;
    placed.row_offset.MakeLinear(kNumRows + 1, 2);
    for (int row = 0; row < kNumRows; ++row) {
      std::vector<int> columns;
      for (int c = 0; c < num_cells; ++c) {
        columns.push_back(c + (row % 2) * num_cells);
      }
      AppendRowBlock(2, columns, &appended);
      placed.cell_column.insert(placed.cell_column.end(), columns.begin(),
                                columns.end());
    }
    PlaceAlikeRows(num_cells, &placed);
    ExpectEqualRows(placed, appended);
    EXPECT_FALSE(placed.row_block_offset.is_list());
  }
}

TEST(PlaceAlikeRows, CountsMoreValuesThanAnIntCan) {
  constexpr int kRows = 1 << 12;
  constexpr int kResiduals = 1 << 10;
  constexpr int kColumns = (1 << 10) - 1;
  BlockJacobianStructure s;
  s.column_offset = {0, kColumns};
  s.row_offset.MakeLinear(kRows + 1, kResiduals);
  s.cell_column.assign(kRows, 0);
  PlaceAlikeRows(/*num_cells=*/1, &s);
  EXPECT_EQ(s.num_values(), int64_t{1} << 32);
  EXPECT_EQ(s.row_block_offset[kRows - 1],
            (int64_t{1} << 32) - (int64_t{1} << 20));
  CutIntoRowChunks(&s);
  EXPECT_EQ(s.row_chunk_first_row.back(), kRows);
  EXPECT_GT(s.num_row_chunks(), 1);
}

TEST(CutIntoRowChunks, SmallProblemIsOneRowChunk) {
  BlockJacobianStructure s;
  s.column_offset = {0, 3};
  for (int i = 0; i < 100; ++i) AppendRowBlock(1, {0}, &s);
  CutIntoRowChunks(&s);
  EXPECT_THAT(s.row_chunk_first_row, ElementsAre(0, 100));
}

TEST(CutIntoRowChunks, EmptyProblemHasNoRowChunk) {
  BlockJacobianStructure s;
  CutIntoRowChunks(&s);
  EXPECT_EQ(s.num_row_chunks(), 0);
}

TEST(CutIntoRowChunks, LargeProblemIsCutEvenlyIntoAtMostMaxRowChunks) {
  BlockJacobianStructure s;
  s.column_offset = {0, 9};
  const int num_rows = 2 * kMaxRowChunks * kMinRowChunkValues / 10;
  for (int i = 0; i < num_rows; ++i) AppendRowBlock(1, {0}, &s);
  CutIntoRowChunks(&s);
  ASSERT_EQ(s.num_row_chunks(), kMaxRowChunks);
  EXPECT_EQ(s.row_chunk_first_row.front(), 0);
  EXPECT_EQ(s.row_chunk_first_row.back(), num_rows);
  for (int row_chunk = 0; row_chunk < kMaxRowChunks; ++row_chunk) {
    const int rows =
        s.row_chunk_first_row[row_chunk + 1] - s.row_chunk_first_row[row_chunk];
    EXPECT_NEAR(rows, num_rows / kMaxRowChunks, 2);
  }
}

TEST(CutIntoRowChunks, RowsOfAnEliminatedBlockStayTogether) {
  // Eliminated blocks of very different lengths, then rows without one.
  BlockJacobianStructure s;
  s.num_eliminated = 40;
  for (int b = 0; b < 40; ++b) s.column_offset.push_back(3 * (b + 1));
  s.column_offset.push_back(s.column_offset.back() + 9);
  for (int b = 0; b < 40; ++b) {
    const int rows = b == 7 ? 5000 : 100 * (b % 5);
    for (int i = 0; i < rows; ++i) AppendRowBlock(2, {b, 40}, &s);
    s.eliminated_first_row.push_back(s.num_row_blocks());
  }
  for (int i = 0; i < 3000; ++i) AppendRowBlock(1, {40}, &s);
  CutIntoRowChunks(&s);
  EXPECT_GT(s.num_row_chunks(), 10);
  EXPECT_EQ(s.row_chunk_first_row.back(), s.num_row_blocks());
  bool cut_after_eliminated = false;
  for (int row_chunk = 1; row_chunk < s.num_row_chunks(); ++row_chunk) {
    const int row = s.row_chunk_first_row[row_chunk];
    EXPECT_GT(row, s.row_chunk_first_row[row_chunk - 1]);
    if (row > s.eliminated_first_row.back()) {
      cut_after_eliminated = true;
      continue;
    }
    EXPECT_THAT(s.eliminated_first_row, testing::Contains(row));
  }
  EXPECT_TRUE(cut_after_eliminated);
}

TEST(AppendRowBlockDeathTest, RefusesUnknownColumn) {
  BlockJacobianStructure s;
  EXPECT_DEATH(AppendRowBlock(1, {0}, &s), "Declare all columns");
}

}  // namespace
}  // namespace ceres::internal
