// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_ROW_BLOCK_SUMS_H_
#define CERES_INTERNAL_KERNELS_ROW_BLOCK_SUMS_H_

#include <cstdint>

namespace ceres::internal::kernels {

// What row blocks of one shape add to gradient and column norms while they are
// in the first-level cache. A row block: the residuals r (m), then two cells E
// (m x e) and F (m x f), row-major.
//
//     gradient:      g_E += E'r           g_F += F'r
//     column norms:  n_E += diag(E'E)     n_F += diag(F'F)
enum class RowBlockShape : unsigned char {
  kOther,
  k2x3x6,
  k2x3x8,
  k2x3x9,
  k2x3x10,
  k3x3x3,  // edges between poses in the plane
  k6x6x6   // and in space
};

// kOther where there is no code for these sizes.
RowBlockShape FindRowBlockShape(int m, int e, int f);

// Adds `num_row_blocks` row blocks, one behind the other. destination: of each
// row block where the sums of its E and of its F begin, in `gradient` and
// `squared_norms`. The bits depend on the instruction set and on the order of
// the row blocks, not on how these are cut into calls. Row blocks whose cells
// are not finite, or whose squares overflow, leave squared norms that are not
// finite. Not for kOther.
void AddRowBlockSums(RowBlockShape shape, int num_row_blocks,
                     const double* row_blocks, const uint32_t* destination,
                     double* gradient, double* squared_norms);

// Sets n doubles to `value`: what row blocks hold before they are evaluated.
void FillRowBlocks(int64_t n, double value, double* row_blocks);

// The plain twin of AddRowBlockSums.
void AddRowBlockSumsPlain(int m, int e, int f, int num_row_blocks,
                          const double* row_blocks, const uint32_t* destination,
                          double* gradient, double* squared_norms);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_ROW_BLOCK_SUMS_H_
