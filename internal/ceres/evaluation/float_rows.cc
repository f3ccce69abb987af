// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/float_rows.h"

#include <algorithm>

namespace ceres::internal {
namespace {

// The number of entries of the cells of a row block.
int SizeOfCells(const BlockJacobianStructure& s, int row) {
  return static_cast<int>(s.row_block_offset[row + 1] -
                          s.row_block_offset[row]) -
         s.row_size(row);
}

}  // namespace

FloatRows::FloatRows(const BlockJacobianStructure& structure)
    : structure_(structure),
      residuals_(structure.num_rows()),
      cells_(structure.num_values() - structure.num_rows()) {}

void FloatRows::Take(int begin, int end, const double* row_blocks) {
  const BlockJacobianStructure& s = structure_;
  double* residuals = residuals_.data() + s.row_offset[begin];
  float* cells =
      cells_.data() + (s.row_block_offset[begin] - s.row_offset[begin]);
  for (int row = begin; row < end; ++row) {
    const int num_residuals = s.row_size(row);
    const int size = SizeOfCells(s, row);
    residuals = std::copy_n(row_blocks, num_residuals, residuals);
    row_blocks += num_residuals;
    for (int i = 0; i < size; ++i) cells[i] = static_cast<float>(row_blocks[i]);
    row_blocks += size;
    cells += size;
  }
}

void FloatRows::Read(int /*thread_id*/, int begin, int end,
                     double* row_blocks) {
  const BlockJacobianStructure& s = structure_;
  const double* residuals = residuals_.data() + s.row_offset[begin];
  const float* cells =
      cells_.data() + (s.row_block_offset[begin] - s.row_offset[begin]);
  for (int row = begin; row < end; ++row) {
    const int num_residuals = s.row_size(row);
    const int size = SizeOfCells(s, row);
    row_blocks = std::copy_n(residuals, num_residuals, row_blocks);
    residuals += num_residuals;
    for (int i = 0; i < size; ++i) row_blocks[i] = cells[i];
    row_blocks += size;
    cells += size;
  }
}

}  // namespace ceres::internal
