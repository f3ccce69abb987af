// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ROW_KERNELS_H_
#define CERES_INTERNAL_EVALUATION_ROW_KERNELS_H_

#include <algorithm>
#include <cstdint>

#include "ceres/types.h"

// Small operations on one row block, for which it is in the first-level cache.
// The order of each sum depends on sizes alone.

namespace ceres::internal {

// |v|^2 of n values. Finite only if all values are finite and none is
// kImpossibleValue, which makes it the test for unwritten entries: one multiply
// and add each.
inline double SquaredNorm(const double* v, std::int64_t n) {
  if (n == 1) return v[0] * v[0];
  if (n == 2) return v[0] * v[0] + v[1] * v[1];
  if (n == 3) return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  double sum0 = 0.0, sum1 = 0.0, sum2 = 0.0, sum3 = 0.0;
  std::int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    sum0 += v[i] * v[i];
    sum1 += v[i + 1] * v[i + 1];
    sum2 += v[i + 2] * v[i + 2];
    sum3 += v[i + 3] * v[i + 3];
  }
  for (; i < n; ++i) sum0 += v[i] * v[i];
  return (sum0 + sum1) + (sum2 + sum3);
}

// Copies a matrix, row-major, to rows that are `stride` apart.
inline void CopyRows(int num_rows, int num_columns,
                     const double* __restrict from, int stride,
                     double* __restrict to) {
  for (int i = 0; i < num_rows; ++i, from += num_columns, to += stride) {
    for (int c = 0; c < num_columns; ++c) to[c] = from[c];
  }
}

// to[i] = from[source[i]].
inline void CopyIndexed(int n, const int* __restrict source,
                        const double* __restrict from, double* __restrict to) {
  int i = 0;
  for (; i + 6 <= n; i += 6) {
    to[i] = from[source[i]];
    to[i + 1] = from[source[i + 1]];
    to[i + 2] = from[source[i + 2]];
    to[i + 3] = from[source[i + 3]];
    to[i + 4] = from[source[i + 4]];
    to[i + 5] = from[source[i + 5]];
  }
  for (; i < n; ++i) to[i] = from[source[i]];
}

// to = A B, both row-major, A num_rows x kInner, B kInner x kColumns; the rows
// of `to` are `stride` apart.
template <int kInner, int kColumns>
inline void MultiplyRows(int num_rows, const double* __restrict a,
                         const double* __restrict b, int stride,
                         double* __restrict to) {
  for (int i = 0; i < num_rows; ++i, a += kInner, to += stride) {
    double sum[kColumns] = {};
    for (int k = 0; k < kInner; ++k) {
      for (int c = 0; c < kColumns; ++c) sum[c] += a[k] * b[k * kColumns + c];
    }
    for (int c = 0; c < kColumns; ++c) to[c] = sum[c];
  }
}

// to = A [Q 0; 0 I], with A num_rows x (num_columns + 1) and Q 4 x 3: columns
// of a quaternion and others behind it.
inline void MultiplyQuaternionFirst(int num_rows, int num_columns,
                                    const double* __restrict a,
                                    const double* __restrict q, int stride,
                                    double* __restrict to) {
  for (int i = 0; i < num_rows; ++i, a += num_columns + 1, to += stride) {
    MultiplyRows<4, 3>(1, a, q, stride, to);
    for (int c = 3; c < num_columns; ++c) to[c] = a[c + 1];
  }
}

// Makes n values kImpossibleValue, which SquaredNorm finds if they stay.
inline void MarkUnwritten(double* v, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) v[i] = kImpossibleValue;
}

// gradient += J'r and squared_norms += diag(J'J) for one cell J, num_rows x
// num_columns, row-major.
inline void AddGradientAndNormsOfAnySize(int num_rows, int num_columns,
                                         const double* __restrict r,
                                         const double* __restrict cell,
                                         double* __restrict gradient,
                                         double* __restrict squared_norms) {
  for (int i = 0; i < num_rows; ++i, cell += num_columns) {
    for (int c = 0; c < num_columns; ++c) {
      gradient[c] += cell[c] * r[i];
      squared_norms[c] += cell[c] * cell[c];
    }
  }
}

// The same with two rows, one pass over the sums.
inline void AddGradientAndNormsOfTwoRows(int num_columns,
                                         const double* __restrict r,
                                         const double* __restrict cell,
                                         double* __restrict gradient,
                                         double* __restrict squared_norms) {
  const double* const second = cell + num_columns;
  const double r0 = r[0], r1 = r[1];
  for (int c = 0; c < num_columns; ++c) {
    gradient[c] = gradient[c] + cell[c] * r0 + second[c] * r1;
    squared_norms[c] =
        squared_norms[c] + cell[c] * cell[c] + second[c] * second[c];
  }
}

// The same for any size. All forms add the same terms in the same order.
inline void AddGradientAndNorms(int num_rows, int num_columns, const double* r,
                                const double* cell, double* gradient,
                                double* squared_norms) {
  if (num_rows == 1 && num_columns == 1) {
    gradient[0] += cell[0] * r[0];
    squared_norms[0] += cell[0] * cell[0];
  } else if (num_rows == 2) {
    AddGradientAndNormsOfTwoRows(num_columns, r, cell, gradient, squared_norms);
  } else {
    AddGradientAndNormsOfAnySize(num_rows, num_columns, r, cell, gradient,
                                 squared_norms);
  }
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ROW_KERNELS_H_
