// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_PACKED_CHOLESKY_H_
#define CERES_INTERNAL_KERNELS_PACKED_CHOLESKY_H_

#include <cmath>
#include <limits>

#include "ceres/parallel/detail/compiler.h"

// Cholesky factors of tiny matrices, one by one. Lower triangles are packed by
// rows; the diagonal of a factor is replaced by its reciprocal. The functions
// are inlined into kernels, where n may be a constant.

namespace ceres::internal::kernels {

constexpr int PackedSize(int n) { return n * (n + 1) / 2; }
constexpr int PackedPosition(int row, int column) {
  return row * (row + 1) / 2 + column;
}

// B = L L' in place. Returns false if B is not positive definite to working
// precision: a pivot is not finite, or not above 4 n epsilon times its diagonal
// element of B.
template <typename Size>
CERES_PARALLEL_ALWAYS_INLINE bool PackedCholesky(Size n, double* b) {
  const double tolerance = 4 * n * std::numeric_limits<double>::epsilon();
  for (int j = 0; j < n; ++j) {
    double* row_j = b + PackedPosition(j, 0);
    double pivot = row_j[j];
    const double smallest = tolerance * pivot;
    for (int k = 0; k < j; ++k) pivot -= row_j[k] * row_j[k];
    if (!(pivot > smallest) || !(pivot <= std::numeric_limits<double>::max())) {
      return false;
    }
    const double reciprocal = 1.0 / std::sqrt(pivot);
    row_j[j] = reciprocal;
    for (int i = j + 1; i < n; ++i) {
      double* row_i = b + PackedPosition(i, 0);
      double sum = row_i[j];
      for (int k = 0; k < j; ++k) sum -= row_i[k] * row_j[k];
      row_i[j] = sum * reciprocal;
    }
  }
  return true;
}

// x <- L^-1 x, for `columns` right hand sides: x is n x columns, row-major.
template <typename Size, typename Columns>
CERES_PARALLEL_ALWAYS_INLINE void PackedForwardSolve(Size n, const double* l,
                                                     Columns columns,
                                                     double* x) {
  for (int i = 0; i < n; ++i) {
    const double* row = l + PackedPosition(i, 0);
    for (int c = 0; c < columns; ++c) {
      double sum = x[i * columns + c];
      for (int k = 0; k < i; ++k) sum -= row[k] * x[k * columns + c];
      x[i * columns + c] = sum * row[i];
    }
  }
}

// x <- L'^-1 x
template <typename Size>
CERES_PARALLEL_ALWAYS_INLINE void PackedBackwardSolve(Size n, const double* l,
                                                      double* x) {
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (int k = i + 1; k < n; ++k) sum -= l[PackedPosition(k, i)] * x[k];
    x[i] = sum * l[PackedPosition(i, i)];
  }
}

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_PACKED_CHOLESKY_H_
