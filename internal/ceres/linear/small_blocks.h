// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_SMALL_BLOCKS_H_
#define CERES_INTERNAL_LINEAR_SMALL_BLOCKS_H_

#include <vector>

namespace ceres::internal {

// Products with a dense block `a` of m x n doubles, ROW-major. Sums are in
// index order. Vectors must not overlap the block or each other.

// y (m) += A x (n)
inline void AddProduct(const double* a, int m, int n, const double* x,
                       double* y) {
  for (int i = 0; i < m; ++i, a += n) {
    double sum = 0.0;
    for (int j = 0; j < n; ++j) sum += a[j] * x[j];
    y[i] += sum;
  }
}

// y (n) += A' x (m)
inline void AddTransposedProduct(const double* a, int m, int n, const double* x,
                                 double* y) {
  for (int i = 0; i < m; ++i, a += n) {
    const double xi = x[i];
    for (int j = 0; j < n; ++j) y[j] += a[j] * xi;
  }
}

// The same products with k columns of m doubles, one after the other, k <=
// kMaxColumns: blocks of width 1 that lie side by side. The sums of different
// columns do not wait for each other.
inline constexpr int kMaxColumns = 8;

// y (m) += a_0 x[0] + ... + a_{k-1} x[k - 1]
template <int k>
inline void AddColumns(const double* a, int m, const double* x, double* y) {
  for (int i = 0; i < m; ++i, ++a) {
    double sum = y[i];
    for (int c = 0; c < k; ++c) sum += a[c * m] * x[c];
    y[i] = sum;
  }
}
// y[c] += a_c' x (m)
template <int k>
inline void AddTransposedColumns(const double* a, int m, const double* x,
                                 double* y) {
  double sums[k];
  for (int c = 0; c < k; ++c) sums[c] = y[c];
  for (int i = 0; i < m; ++i, ++a) {
    for (int c = 0; c < k; ++c) sums[c] += a[c * m] * x[i];
  }
  for (int c = 0; c < k; ++c) y[c] = sums[c];
}

// An array of a few doubles; a large one is on the heap. Not thread-safe.
class SmallBuffer {
 public:
  // Contents of an earlier call are lost.
  double* Get(int size) {
    if (size <= kInline) return inline_;
    if (size > static_cast<int>(heap_.size())) heap_.resize(size);
    return heap_.data();
  }

 private:
  static constexpr int kInline = 16;
  double inline_[kInline];
  std::vector<double> heap_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_SMALL_BLOCKS_H_
