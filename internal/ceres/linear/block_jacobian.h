// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_BLOCK_JACOBIAN_H_
#define CERES_INTERNAL_LINEAR_BLOCK_JACOBIAN_H_

#include <cstdint>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/base/periodic_array.h"
#include "ceres/execution/aligned_buffer.h"

namespace ceres::internal {

// The residuals and the Jacobian of a whole problem, kept together as one array
// of row blocks: one row block per row block (residual block), written by one
// call of the user's cost function and read as one stream by every later pass.
//
//   values:  | r  cell cell | r  cell cell | r  cell | ...          (row
//   blocks, in row order)
//            ^ row_block_offset[0]            ^ row_block_offset[2]
//
//   r      the m residuals of the row block, after the loss function
//   cell   the m x n block d r / d column block, ROW-major, in tangent
//   coordinates, after loss and manifold
//
// A row block has one cell per varying parameter block that it touches;
// constant blocks have none. The cells of a row block follow in the order of
// first_cell .. and never name a column block twice.
//
// Elimination (Schur). The first `num_eliminated` column blocks can be
// eliminated: no row block touches two of them. The rows of eliminated block e
// are contiguous, [eliminated_first_row[e], eliminated_first_row[e + 1]), and
// cell 0 of each is e's own. The rows from eliminated_first_row[num_eliminated]
// on touch no eliminated block. Without elimination num_eliminated is 0 and
// eliminated_first_row is {0}.
//
// Row chunks. The rows are cut into row chunks, [row_chunk_first_row[s],
// row_chunk_first_row[s + 1]): a function of the problem alone, never of the
// number of threads. Sums that several rows contribute to are formed per row
// chunk and added in row chunk order, which is what makes results bit-identical
// for every number of threads. No row chunk boundary cuts the rows of an
// eliminated block.
struct BlockJacobianStructure {
  // Columns: tangent offset of each column block; size num_column_blocks + 1.
  std::vector<int> column_offset = {0};
  // Rows; all of size num_row_blocks + 1.
  PeriodicArray<int> row_offset = {0};  // first residual of the row block
  // First double of its row block in values.
  PeriodicArray<int64_t> row_block_offset = {0};
  PeriodicArray<int> first_cell = {0};  // its first cell in cell_column
  // Cells: column block of each, and its first double counted from the start of
  // its row block.
  PagedVector<int> cell_column;
  PeriodicArray<int> cell_position;

  int num_eliminated = 0;
  std::vector<int> eliminated_first_row = {0};
  std::vector<int> row_chunk_first_row = {0};

  int num_column_blocks() const {
    return static_cast<int>(column_offset.size()) - 1;
  }
  int num_columns() const { return column_offset.back(); }
  int num_row_blocks() const { return static_cast<int>(row_offset.size()) - 1; }
  int num_rows() const { return row_offset.back(); }
  int num_row_chunks() const {
    return static_cast<int>(row_chunk_first_row.size()) - 1;
  }
  int64_t num_values() const { return row_block_offset.back(); }

  int column_size(int block) const {
    return column_offset[block + 1] - column_offset[block];
  }
  int row_size(int block) const {
    return row_offset[block + 1] - row_offset[block];
  }
};

// Appends one row block with `num_residuals` residuals and one cell per entry
// of `columns`.
void AppendRowBlock(int num_residuals, const std::vector<int>& columns,
                    BlockJacobianStructure* structure);

// All row blocks at once, from row_offset and the number of cells of each row
// in first_cell[row + 1], a list:
//
//   AllocateCells    first_cell, and room for the cells
//   PlaceCells       those of one row, `columns` having as many entries; rows
//                    may be placed in parallel
//   PlaceRowBlocks     row_block_offset
void AllocateCells(BlockJacobianStructure* structure);
void PlaceCells(int row, const int* columns, BlockJacobianStructure* structure);
void PlaceRowBlocks(BlockJacobianStructure* structure);
// The same where all rows, at least one, have cells of the same sizes, from
// row_offset, which goes up by one step, and cell_column: no lists, but where
// the number of cells is no power of 2 for cell_position.
void PlaceAlikeRows(int num_cells, BlockJacobianStructure* structure);

// Fills row_chunk_first_row: row chunks of about equal length in doubles, at
// most kMaxRowChunks, each worth at least kMinRowChunkValues doubles, so that a
// small problem is one row chunk (and is never sent to other threads).
inline constexpr int kMaxRowChunks = 64;
inline constexpr int kMinRowChunkValues = 8192;
void CutIntoRowChunks(BlockJacobianStructure* structure);

// A structure (shared by all who use it, not owned) and the numbers.
// Thread-compatible.
struct BlockJacobian {
  const BlockJacobianStructure* structure = nullptr;
  AlignedBuffer values;  // structure->num_values() doubles

  const double* row_block(int row_block) const {
    return values.data() + structure->row_block_offset[row_block];
  }
  double* row_block(int row_block) {
    return values.data() + structure->row_block_offset[row_block];
  }
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_BLOCK_JACOBIAN_H_
