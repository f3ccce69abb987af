// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_NARROW_QR_H_
#define CERES_INTERNAL_KERNELS_NARROW_QR_H_

#include <cstdint>

namespace ceres::internal::kernels {

// A matrix of few columns with its right-hand side, ROW-major, so that a row is
// a vector or two of the machine. It may end in a diagonal:
//
//       right-hand side   n columns   zeros, up to kNarrowWidths
//     [        b              A         0  ]  num_dense_rows
//     [        0              D         0  ]  num_rows - num_dense_rows: 0 or n
//
// This is the order of a row block of one residual (linear/block_jacobian.h).
struct NarrowMatrix {
  double* values = nullptr;  // aligned to `width` doubles
  int width = 0;             // of a row: NarrowWidth(num_pivots)
  int num_rows = 0;
  int num_dense_rows = 0;
  int num_pivots = 0;  // n: at least 1, at most num_rows, kMaxNarrowPivots

  double* row(int i) const {
    return values + static_cast<long long>(i) * width;
  }
};

inline constexpr int kMaxNarrowPivots = 7;
inline constexpr int NarrowWidth(int num_pivots) {
  return num_pivots <= 3 ? 4 : 8;
}

// Where the rows of a NarrowMatrix come from.
struct NarrowSource {
  const double* values = nullptr;
  // Null: the dense rows lie behind each other in `values`, num_pivots + 1
  // doubles each, behind the last of which `width` doubles may be read. Else:
  // where in `values` each element of the dense rows, padding included, is
  // found; of a zero negative.
  const std::int64_t* places = nullptr;
  // Of D, if the matrix has it.
  const double* diagonal = nullptr;
};

// Writes all rows of the matrix.
void FillNarrow(const NarrowSource& source, const NarrowMatrix& matrix);

// The plain twin.
void FillNarrowPlain(const NarrowSource& source, const NarrowMatrix& matrix);

// Q' [b A; 0 D] = [c R; d 0] in place, by Householder reflections (Golub and
// Van Loan, Matrix Computations, 4th edition, 5.2): afterwards row k < n has
// c_k and, from its diagonal on, R. All else is unspecified, but what is below
// the diagonal of these rows is finite if R is.
//
// With x the column to reflect, sigma = |x|^2 and beta = -+sqrt(sigma), the
// reflection takes (x'y - beta y_0) / (sigma - x_0 beta) times (x - beta e_0)
// from each column y, and makes y_0 = x'y / beta. So one pass of the rows, with
// all columns side by side, gives sigma and all x'y; it is the same that
// applies the reflection before.
//
// Squares must neither overflow nor underflow: values far beyond 1e150 give
// infinities or NaN in R. For one CPU the result depends on the input alone.
void TriangularizeNarrow(const NarrowMatrix& matrix);

// The plain twin.
void TriangularizeNarrowPlain(const NarrowMatrix& matrix);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_NARROW_QR_H_
