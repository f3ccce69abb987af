// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INVERSE_BLOCK_H_
#define CERES_INTERNAL_SPARSE_INVERSE_BLOCK_H_

namespace ceres::internal {

// A block of the inverse of a block-sparse symmetric matrix that is to be
// computed, and the memory of the caller for it.
struct InverseBlock {
  int row;         // block row
  int column;      // block column
  double* values;  // ROW-major, size of row x size of column
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INVERSE_BLOCK_H_
