// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/block_jacobian.h"

#include <algorithm>
#include <numeric>

#include "glog/logging.h"

namespace ceres::internal {

void AppendRowBlock(int num_residuals, const std::vector<int>& columns,
                    BlockJacobianStructure* structure) {
  CHECK_GT(num_residuals, 0) << "A row block has at least one residual.";
  const int row = structure->num_row_blocks();
  structure->row_offset.push_back(structure->num_rows() + num_residuals);
  structure->first_cell.push_back(structure->first_cell.back() +
                                  static_cast<int>(columns.size()));
  structure->cell_column.resize(structure->first_cell.back());
  structure->cell_position.resize(structure->first_cell.back());
  structure->record_offset.push_back(0);
  PlaceCells(row, columns, structure);
  structure->record_offset[row + 1] += structure->record_offset[row];
}

void AllocateCells(BlockJacobianStructure* structure) {
  std::vector<int>& first_cell = structure->first_cell;
  std::partial_sum(first_cell.begin(), first_cell.end(), first_cell.begin());
  structure->cell_column.resize(first_cell.back());
  structure->cell_position.resize(first_cell.back());
  structure->record_offset.resize(first_cell.size());
}

// record_offset[row + 1] holds the size of the record until PlaceRecords.
void PlaceCells(int row, const std::vector<int>& columns,
                BlockJacobianStructure* structure) {
  const int num_residuals = structure->row_size(row);
  int position = num_residuals;
  int cell = structure->first_cell[row];
  for (const int column : columns) {
    CHECK_GE(column, 0);
    CHECK_LT(column, structure->num_column_blocks())
        << "Declare all columns before the first row block.";
    structure->cell_column[cell] = column;
    structure->cell_position[cell] = position;
    ++cell;
    position += num_residuals * structure->column_size(column);
  }
  structure->record_offset[row + 1] = position;
}

void PlaceRecords(BlockJacobianStructure* structure) {
  PagedVector<int64_t>& offset = structure->record_offset;
  offset[0] = 0;
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
}

namespace {

// The first row block at or after `row` where a slab may begin: none of the
// rows of an eliminated block but its first.
int NextAllowedBoundary(const BlockJacobianStructure& structure, int row) {
  const std::vector<int>& first_row = structure.eliminated_first_row;
  const auto next = std::lower_bound(first_row.begin(), first_row.end(), row);
  return next == first_row.end() ? row : *next;
}

}  // namespace

void CutIntoSlabs(BlockJacobianStructure* structure) {
  const int num_row_blocks = structure->num_row_blocks();
  const PagedVector<int64_t>& offset = structure->record_offset;
  const int64_t total = structure->num_values();
  const int64_t wanted =
      std::clamp<int64_t>(total / kMinSlabValues, 1, kMaxSlabs);

  std::vector<int>& boundaries = structure->slab_first_row;
  boundaries.reserve(wanted + 1);
  boundaries.assign(1, 0);
  for (int64_t s = 1; s <= wanted && boundaries.back() < num_row_blocks; ++s) {
    const int64_t target = total * s / wanted;
    const int row = static_cast<int>(
        std::lower_bound(offset.begin(), offset.end(), target) -
        offset.begin());
    const int boundary =
        s == wanted
            ? num_row_blocks
            : std::min(NextAllowedBoundary(*structure, row), num_row_blocks);
    // A slab boundary that an earlier, long eliminated block has swallowed
    // would begin an empty slab.
    if (boundary > boundaries.back()) boundaries.push_back(boundary);
  }
}

}  // namespace ceres::internal
