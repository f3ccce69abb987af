// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_BLOCK_JACOBIAN_H_
#define CERES_INTERNAL_LINEAR_BLOCK_JACOBIAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/base/periodic_array.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/linear/linear_tuning.h"
#include "ceres/linear/row_source.h"

namespace ceres::internal {

// The shape of a block Jacobian: the residuals and the Jacobian of a problem in
// one array of row blocks. Each residual block has one row block. One call of
// the user's cost function writes it, and every later pass reads the array in
// order.
//
// clang-format off
//     values:  | r0  cell cell | r1  cell cell cell | r2  cell | ...      row blocks, in row order
//              ^ row_block_offset[0]
//                              ^ row_block_offset[1]
//                                                   ^ row_block_offset[2]
//
//     r      the m residuals of the row block, after the loss function
//     cell   the m x n block d r / d column block, ROW-major, in tangent coordinates, after
//            loss function and manifold
//
//                   column blocks
//                   0    1    2    3
//     row block 0   #    #                   first_cell[0] .. first_cell[1]:  columns 0 1
//     row block 1   #         #    #         first_cell[1] .. first_cell[2]:  columns 0 2 3
//     row block 2        #                   first_cell[2] .. first_cell[3]:  column  1
// clang-format on
//
// A row block has one cell for each varying parameter block that it depends on,
// and none for constant blocks. No two cells of a row block have the same
// column block.
//
// Elimination. The first `num_eliminated` column blocks can be eliminated by a
// Schur complement: no row block depends on two of them. The rows of eliminated
// block e are contiguous, [eliminated_first_row[e], eliminated_first_row[e +
// 1]), and cell 0 of each of them is in column block e. The rows from
// eliminated_first_row[num_eliminated] on depend on no eliminated block.
// Without elimination num_eliminated is 0 and eliminated_first_row is {0}.
//
// Row chunks. Row chunk s is the rows [row_chunk_first_row[s],
// row_chunk_first_row[s + 1]). Row chunks depend on the problem alone, not on
// the number of threads. A sum over rows is the sum of one partial sum for each
// row chunk, in the order of row chunks; so it has the same bits for every
// number of threads. All rows of an eliminated block are in one row chunk.
struct BlockJacobianStructure {
  // Tangent offset of each column block, +1.
  std::vector<int> column_offset = {0};
  // By row block, +1: its first residual, its first double in `values`, and its
  // first cell.
  PeriodicArray<int> row_offset = {0};
  PeriodicArray<int64_t> row_block_offset = {0};
  PeriodicArray<int> first_cell = {0};
  // By cell: its column block, and its first double, counted from the start of
  // the row block.
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

// Makes all row blocks at once. Before: row_offset, and in first_cell[row + 1],
// a list, the number of cells of each row. The calls, in this order:
//
// clang-format off
//     AllocateCells     computes first_cell and allocates the cells
//     PlaceCells        writes the cells of one row, one for each entry of `columns`;
//                       thread-safe for different rows
//     PlaceRowBlocks    computes row_block_offset
// clang-format on
void AllocateCells(BlockJacobianStructure* structure);
void PlaceCells(int row, const int* columns, BlockJacobianStructure* structure);
void PlaceRowBlocks(BlockJacobianStructure* structure);
// Makes all row blocks, at least one, if all have cells of the same sizes.
// Before: row_offset, whose step is constant, and cell_column. The other arrays
// are no lists, except cell_position if num_cells is no power of 2.
void PlaceAlikeRows(int num_cells, BlockJacobianStructure* structure);

// Computes row_chunk_first_row: at most kMaxRowChunks row chunks with about the
// same number of doubles, at least kMinRowChunkValues (linear_tuning.h).
void CutIntoRowChunks(BlockJacobianStructure* structure);

// The cells of each column block, by rows.
struct CellsByColumn {
  explicit CellsByColumn(const BlockJacobianStructure& structure);

  struct Cell {
    int row;
    int cell;
  };
  std::vector<int> first;  // by column block, +1: into `cells`
  std::vector<Cell> cells;
};

// The memory of the row blocks of a structure. A buffer holds the row blocks of
// some consecutive rows; the origin then lies outside of the buffer.
struct RowBlocks {
  const BlockJacobianStructure* structure = nullptr;
  double* origin = nullptr;  // of row block 0

  double* row_block(int row_block) const {
    return origin + structure->row_block_offset[row_block];
  }
};

// The origin of row blocks whose row `begin` is at `row_blocks`.
inline double* OriginOfRows(const BlockJacobianStructure& structure, int begin,
                            double* row_blocks) {
  // Not by pointer arithmetic, which must stay inside an array.
  return reinterpret_cast<double*>(
      reinterpret_cast<std::uintptr_t>(row_blocks) -
      static_cast<std::uintptr_t>(structure.row_block_offset[begin]) *
          sizeof(double));
}

// A block Jacobian: its structure, which somebody else owns, and its values,
// which are an array or come from a source. Only the evaluator and Schur
// solvers take a source. Thread-compatible.
struct BlockJacobian {
  const BlockJacobianStructure* structure = nullptr;
  AlignedBuffer values;  // structure->num_values() doubles; empty: see source
  std::unique_ptr<RowSource> source;

  const double* row_block(int row_block) const {
    return values.data() + structure->row_block_offset[row_block];
  }
  double* row_block(int row_block) {
    return values.data() + structure->row_block_offset[row_block];
  }
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_BLOCK_JACOBIAN_H_
