// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INVERSE_BLOCK_H_
#define CERES_INTERNAL_SPARSE_INVERSE_BLOCK_H_

namespace ceres::internal {

// A block of the inverse of a block-sparse symmetric matrix, to be computed.
struct InverseBlock {
  int row;  // blocks of the matrix
  int column;
  double* values;  // ROW-major, size of row x size of column
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INVERSE_BLOCK_H_
