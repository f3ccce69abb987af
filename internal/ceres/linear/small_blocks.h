// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_SMALL_BLOCKS_H_
#define CERES_INTERNAL_LINEAR_SMALL_BLOCKS_H_

#include <vector>

namespace ceres::internal {

// Products with one dense block `a` of m x n doubles, ROW-major. All sums run
// in index order, so results do not depend on who computes them. The vectors
// must not overlap the block or each other.

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

// Room for a few doubles, on the stack unless a block is uncommonly large.
class SmallBuffer {
 public:
  // What was there before is lost.
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
