// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_REMAINING_BLOCKS_H_
#define CERES_INTERNAL_SCHUR_REMAINING_BLOCKS_H_

#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// Which products of a problem's blocks are summed into a reduced matrix.
enum class ReducedMatrix {
  kSchurComplement,  // S = C - H'B^-1 H, see SchurPlan
  kRemainingBlocks,  // C, for the implicit product
};

// The column blocks that remain after elimination, numbered from 0, and the
// size of their blocks in a partial sum. A view of a Jacobian's structure,
// which must outlive it.
class RemainingBlocks {
 public:
  RemainingBlocks(const BlockJacobianStructure& structure,
                  kernels::PointDiagonal diagonal)
      : structure_(structure), diagonal_(diagonal) {}

  int num() const { return structure_.num_column_blocks() - first_column(); }
  // The column block of remaining block 0.
  int first_column() const { return structure_.num_eliminated; }
  int width(int block) const {
    return structure_.column_size(first_column() + block);
  }
  // Doubles of block (row, column), row <= column, in a partial sum. A diagonal
  // block has its part of the right hand side behind it
  // (kernels::PointDiagonal).
  int SumSize(int row, int column) const {
    const int rows = width(row);
    if (row != column) return kernels::PanelBlockSize(rows, width(column));
    return kernels::DiagonalSecondPosition(rows) +
           (diagonal_ == kernels::PointDiagonal::kSplit
                ? kernels::PanelBlockSize(rows, rows)
                : 0);
  }

 private:
  const BlockJacobianStructure& structure_;
  const kernels::PointDiagonal diagonal_;
};

// The largest sizes of a Jacobian with eliminated blocks, for scratch memory.
struct SchurSizes {
  explicit SchurSizes(const BlockJacobianStructure& structure);

  int max_eliminated_width = 0;  // columns of an eliminated block
  int max_width = 0;             // columns of a remaining block
  int max_residuals = 0;         // of a row block
  int max_point_residuals = 0;   // of all row blocks of a point together
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_REMAINING_BLOCKS_H_
