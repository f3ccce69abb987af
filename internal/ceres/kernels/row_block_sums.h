// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_ROW_BLOCK_SUMS_H_
#define CERES_INTERNAL_KERNELS_ROW_BLOCK_SUMS_H_

#include <cstdint>

namespace ceres::internal::kernels {

// Sums of row blocks of one shape, for the gradient and the squared column
// norms. A row block holds the residuals r (m), then two cells E (m x e) and F
// (m x f), row-major.
//
// clang-format off
//     gradient:              g_E += E'r           g_F += F'r
//     squared column norms:  n_E += diag(E'E)     n_F += diag(F'F)
// clang-format on

// The sizes (m, e, f) with code of their own.
enum class RowBlockShape : unsigned char {
  kOther,
  k2x3x6,
  k2x3x8,
  k2x3x9,
  k2x3x10,
  k3x3x3,  // edges between poses in the plane
  k6x6x6   // edges between poses in space
};

// Returns kOther if these sizes have no code of their own.
RowBlockShape FindRowBlockShape(int m, int e, int f);

// Adds num_row_blocks row blocks that follow each other in memory. destination:
// for each row block two places, where the sums of E and of F begin in
// `gradient` and `squared_norms`. shape: not kOther. The bits depend on the
// instruction set and on the order of the row blocks, not on the cut into
// calls. If a cell is not finite, or a square overflows, a squared norm is not
// finite.
void AddRowBlockSums(RowBlockShape shape, int num_row_blocks,
                     const double* row_blocks, const uint32_t* destination,
                     double* gradient, double* squared_norms);

// Sets n doubles of row blocks to `value`, before they are evaluated.
void FillRowBlocks(int64_t n, double value, double* row_blocks);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_ROW_BLOCK_SUMS_H_
