// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_SIZE_LIMITS_H_
#define CERES_INTERNAL_PROBLEM_SIZE_LIMITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/problem/residual_block.h"
#include "ceres/problem/row_order.h"

namespace ceres::internal {

// The sizes of a Jacobian, counted with 64 bits before anything is allocated.
//
// Rows, columns, cells (pairs of a residual block and one of its varying
// parameter blocks) and the places within a residual block are numbered with
// int. The entries of a whole Jacobian are numbered with 64 bits, except in a
// CRSMatrix.
struct JacobianSizes {
  std::int64_t num_residuals = 0;
  std::int64_t num_cells = 0;
  std::int64_t num_entries = 0;
  // The largest residual block: its residuals and its entries.
  std::int64_t largest_block = 0;

  static JacobianSizes Of(const std::vector<ResidualBlock*>& blocks);
};

// Returns what is too large for a solve or an evaluation, and what to do; empty
// if nothing is.
std::string SizeError(const JacobianSizes& sizes);

// The same as SizeError(JacobianSizes::Of(blocks)). Looks at the blocks only if
// the bounds of their sizes, and the largest tangent size of a parameter block,
// do not rule out an error. Bounds that are not known are zeros.
std::string SizeError(const std::vector<ResidualBlock*>& blocks,
                      const RowSizeBounds& bounds, int max_tangent_size);

// What SizeError returns for the Jacobian as a CRSMatrix.
std::string CrsSizeError(const JacobianSizes& sizes);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_SIZE_LIMITS_H_
