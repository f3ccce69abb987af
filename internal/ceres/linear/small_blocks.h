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
