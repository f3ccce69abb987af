// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/block_jacobian.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ceres/logging/logging.h"

namespace ceres::internal {

void AppendRowBlock(int num_residuals, const std::vector<int>& columns,
                    BlockJacobianStructure* structure) {
  VESTA_CHECK_GT(num_residuals, 0) << "A row block has at least one residual.";
  const int row = structure->num_row_blocks();
  structure->row_offset.PushBack(structure->num_rows() + num_residuals);
  structure->first_cell.PushBack(structure->first_cell.back() +
                                 static_cast<int>(columns.size()));
  structure->cell_column.resize(structure->first_cell.back());
  structure->cell_position.Resize(structure->first_cell.back());
  structure->row_block_offset.PushBack(0);
  PlaceCells(row, columns.data(), structure);
  structure->row_block_offset.list()[row + 1] +=
      structure->row_block_offset[row];
}

void AllocateCells(BlockJacobianStructure* structure) {
  PeriodicArray<int>& first_cell = structure->first_cell;
  first_cell.list()[0] = 0;
  std::partial_sum(first_cell.list(), first_cell.list() + first_cell.size(),
                   first_cell.list());
  structure->cell_column.resize(first_cell.back());
  structure->cell_position.Resize(first_cell.back());
  structure->row_block_offset.Resize(first_cell.size());
}

// row_block_offset[row + 1] holds the size of the row block until
// PlaceRowBlocks.
void PlaceCells(int row, const int* columns,
                BlockJacobianStructure* structure) {
  const int num_residuals = structure->row_size(row);
  int* const cell_position = structure->cell_position.list();
  int position = num_residuals;
  const int end = structure->first_cell[row + 1];
  for (int cell = structure->first_cell[row]; cell < end; ++cell) {
    const int column = *columns++;
    VESTA_CHECK_GE(column, 0);
    VESTA_CHECK_LT(column, structure->num_column_blocks())
        << "Declare all columns before the first row block.";
    structure->cell_column[cell] = column;
    cell_position[cell] = position;
    position += num_residuals * structure->column_size(column);
  }
  structure->row_block_offset.list()[row + 1] = position;
}

void PlaceRowBlocks(BlockJacobianStructure* structure) {
  int64_t* const offset = structure->row_block_offset.list();
  offset[0] = 0;
  std::partial_sum(offset, offset + structure->row_block_offset.size(), offset);
}

void PlaceAlikeRows(int num_cells, BlockJacobianStructure* structure) {
  const int num_rows = structure->num_row_blocks();
  const int num_residuals = structure->row_offset[1];
  std::vector<int> position(num_cells);
  int size = num_residuals;
  for (int c = 0; c < num_cells; ++c) {
    position[c] = size;
    size += num_residuals * structure->column_size(structure->cell_column[c]);
  }
  structure->first_cell.MakeLinear(num_rows + 1, num_cells);
  structure->row_block_offset.MakeLinear(num_rows + 1, size);
  const int64_t all_cells = int64_t{num_rows} * num_cells;
  const bool is_power_of_2 =
      num_cells > 0 && (num_cells & (num_cells - 1)) == 0;
  if (is_power_of_2) {
    structure->cell_position.MakePeriodic(all_cells, position);
    return;
  }
  structure->cell_position.Resize(all_cells);
  int* cell = structure->cell_position.list();
  for (int row = 0; row < num_rows; ++row) {
    cell = std::copy(position.begin(), position.end(), cell);
  }
}

namespace {

// The first place of an ascending array, ended by more, where it is >= value.
int FirstAtLeast(const PeriodicArray<int64_t>& array, int64_t value) {
  int begin = 0;
  int end = static_cast<int>(array.size());
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (array[middle] < value) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// The first row block at or after `row` where a row chunk may begin: none of
// the rows of an eliminated block but its first.
int NextAllowedBoundary(const BlockJacobianStructure& structure, int row) {
  const std::vector<int>& first_row = structure.eliminated_first_row;
  const auto next = std::lower_bound(first_row.begin(), first_row.end(), row);
  return next == first_row.end() ? row : *next;
}

}  // namespace

void CutIntoRowChunks(BlockJacobianStructure* structure) {
  const int num_row_blocks = structure->num_row_blocks();
  const PeriodicArray<int64_t>& offset = structure->row_block_offset;
  const int64_t total = structure->num_values();
  const int64_t wanted =
      std::clamp<int64_t>(total / kMinRowChunkValues, 1, kMaxRowChunks);

  std::vector<int>& boundaries = structure->row_chunk_first_row;
  boundaries.reserve(wanted + 1);
  boundaries.assign(1, 0);
  for (int64_t s = 1; s <= wanted && boundaries.back() < num_row_blocks; ++s) {
    const int64_t target = total * s / wanted;
    const int row = FirstAtLeast(offset, target);
    const int boundary =
        s == wanted
            ? num_row_blocks
            : std::min(NextAllowedBoundary(*structure, row), num_row_blocks);
    // A row chunk boundary that an earlier, long eliminated block has swallowed
    // would begin an empty row chunk.
    if (boundary > boundaries.back()) boundaries.push_back(boundary);
  }
}

CellsByColumn::CellsByColumn(const BlockJacobianStructure& s)
    : first(s.num_column_blocks() + 1, 0), cells(s.cell_column.size()) {
  for (const int column : s.cell_column) ++first[column + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<int> next(first.begin(), first.end() - 1);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      cells[next[s.cell_column[c]]++] = {row, c};
    }
  }
}

}  // namespace ceres::internal
