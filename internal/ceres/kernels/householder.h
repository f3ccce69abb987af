// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_HOUSEHOLDER_H_
#define CERES_INTERNAL_KERNELS_HOUSEHOLDER_H_

namespace ceres::internal::kernels {

// A tall COLUMN-major matrix with right-hand sides. Its last rows may be a
// diagonal matrix D (n x n); otherwise num_rows == num_dense_rows. Owns
// nothing.
//
// clang-format off
//         n columns   right-hand sides
//       [    A            b      ]  num_dense_rows
//       [    D            0      ]  num_rows - num_dense_rows: 0 or n
// clang-format on
struct TallMatrix {
  double* values = nullptr;
  int stride = 0;  // from one column to the next, >= num_rows
  int num_rows = 0;
  int num_dense_rows = 0;
  int num_pivots = 0;   // n <= num_rows
  int num_columns = 0;  // n and the right-hand sides
};

// Q' [A b; D 0] = [R c; 0 d] in place, by Householder reflections (Golub and
// Van Loan, Matrix Computations, 4th edition, 5.2). Afterwards the upper
// triangle of the first n columns is R, and the first n rows of the right-hand
// sides are c. The rest holds the reflections and d. The reflection of column k
// spans num_dense_rows + 1 rows: the zeros around the diagonal of D are
// skipped.
//
// Squares must neither overflow nor underflow: values far beyond 1e150 give
// infinities or NaN in R. The result depends on the input and the instruction
// set alone. Thread-safe for different matrices.
void HouseholderTriangularize(const TallMatrix& matrix);

// x := R^-1 c for the column of right-hand sides `c`; x has n values.
// Nothing is checked: a zero on R's diagonal gives infinities.
void SolveUpperTriangular(const TallMatrix& matrix, const double* c, double* x);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_HOUSEHOLDER_H_
