// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_WIDE_PRODUCTS_H_
#define CERES_INTERNAL_DIAGNOSIS_WIDE_PRODUCTS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

namespace ceres::internal {

// Products with a ROW-major A of rows x columns. Vectors have rows of k numbers
// and must not overlap. kWidth: k, if it is known at compile time; else 0.

// y += sign A x
template <int kWidth, int kSign = 1>
void AddProduct(const double* a, int rows, int columns,
                const double* __restrict x, int k, double* __restrict y) {
  for (int i = 0; i < rows; ++i, a += columns) {
    if constexpr (kWidth > 0) {
      // The sums stay in registers.
      std::array<double, kWidth> sums;
      std::copy_n(y + std::int64_t{i} * kWidth, kWidth, sums.data());
      for (int j = 0; j < columns; ++j) {
        const double factor = kSign * a[j];
        for (int c = 0; c < kWidth; ++c) sums[c] += factor * x[j * kWidth + c];
      }
      std::copy_n(sums.data(), kWidth, y + std::int64_t{i} * kWidth);
    } else {
      double* const to = y + std::int64_t{i} * k;
      for (int j = 0; j < columns; ++j) {
        const double factor = kSign * a[j];
        const double* const from = x + std::int64_t{j} * k;
        for (int c = 0; c < k; ++c) to[c] += factor * from[c];
      }
    }
  }
}

// y += A'x
template <int kWidth>
void AddTransposedProduct(const double* a, int rows, int columns,
                          const double* __restrict x, int k,
                          double* __restrict y) {
  const int width = kWidth > 0 ? kWidth : k;
  for (int i = 0; i < rows; ++i, a += columns) {
    const double* const from = x + std::int64_t{i} * width;
    for (int j = 0; j < columns; ++j) {
      double* const to = y + std::int64_t{j} * width;
      for (int c = 0; c < width; ++c) to[c] += a[j] * from[c];
    }
  }
}

// Calls f with k as a constant, or with 0 if k is large.
template <typename F>
void WithConstantWidth(int k, const F& f) {
  switch (k) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    case 4:
      return f(std::integral_constant<int, 4>());
    case 5:
      return f(std::integral_constant<int, 5>());
    case 6:
      return f(std::integral_constant<int, 6>());
    case 7:
      return f(std::integral_constant<int, 7>());
    case 8:
      return f(std::integral_constant<int, 8>());
    default:
      return f(std::integral_constant<int, 0>());
  }
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_WIDE_PRODUCTS_H_
