// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_NARROW_QR_H_
#define CERES_INTERNAL_KERNELS_NARROW_QR_H_

#include <cstdint>

namespace ceres::internal::kernels {

// A ROW-major matrix of up to kMaxNarrowPivots columns with a right-hand side.
// A row is one or two vectors of the machine. The last rows may be a diagonal
// matrix D. Owns nothing.
//
// clang-format off
//       right-hand side   n columns   zeros, up to `width`
//     [        b              A         0  ]  num_dense_rows
//     [        0              D         0  ]  num_rows - num_dense_rows: 0 or n
// clang-format on
//
// A dense row has the order of a row block of one residual
// (linear/block_jacobian.h).
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

// The source of the rows of a NarrowMatrix.
struct NarrowSource {
  const double* values = nullptr;
  // Null: the dense rows follow each other in `values`, num_pivots + 1 doubles
  // each, and `width` doubles behind the last row may be read. Else: the place
  // in `values` of each element of the dense rows, padding included; negative
  // for a zero.
  const std::int64_t* places = nullptr;
  // The diagonal of D. Null: the matrix has no D.
  const double* diagonal = nullptr;
};

// Writes all rows of the matrix.
void FillNarrow(const NarrowSource& source, const NarrowMatrix& matrix);

// Q' [b A; 0 D] = [c R; d 0] in place, by Householder reflections (Golub and
// Van Loan, Matrix Computations, 4th edition, 5.2). Afterwards row k < n holds
// c_k and, from its diagonal on, R. Everything else is unspecified; the
// elements below the diagonal of these rows are finite if R is.
//
// With x the column to reflect, sigma = |x|^2 and beta = -+sqrt(sigma), the
// reflection subtracts (x'y - beta y_0) / (sigma - x_0 beta) times
// (x - beta e_0) from each column y, and makes y_0 = x'y / beta. One pass over
// the rows applies a reflection and computes sigma and all x'y of the next.
//
// Squares must neither overflow nor underflow: values far beyond 1e150 give
// infinities or NaN in R. The result depends on the input and the instruction
// set alone. Thread-safe for different matrices.
void TriangularizeNarrow(const NarrowMatrix& matrix);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_NARROW_QR_H_
