// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_kernels.h"

#include <cmath>
#include <limits>
#include <vector>

#include "ceres/types.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(SquaredNorm, IsTheSumOfSquaresAtEveryLength) {
  std::vector<double> v;
  double expected = 0.0;
  for (int n = 0; n < 20; ++n) {
    // Sums of small integers are exact in any order.
    EXPECT_EQ(SquaredNorm(v.data(), n), expected);
    v.push_back(n - 7.0);
    expected += (n - 7.0) * (n - 7.0);
  }
}

TEST(SquaredNorm, IsNotFiniteIfAnyEntryIsInvalid) {
  for (const double invalid :
       {kImpossibleValue, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    for (int i = 0; i < 11; ++i) {
      std::vector<double> v(11, 1.0);
      v[i] = invalid;
      EXPECT_FALSE(std::isfinite(SquaredNorm(v.data(), 11)));
    }
  }
}

TEST(MarkUnwritten, MarksSoMuchAndNoMore) {
  for (int n = 0; n < 20; ++n) {
    std::vector<double> v(n + 1, 1.0);
    MarkUnwritten(v.data(), n);
    for (int i = 0; i < n; ++i) EXPECT_EQ(v[i], kImpossibleValue) << n;
    EXPECT_EQ(v[n], 1.0) << n;
  }
}

TEST(AddGradientAndNorms, AddsProductsOfAllSizes) {
  for (int m = 1; m <= 4; ++m) {
    for (int n = 1; n <= 11; ++n) {
      std::vector<double> r(m), cell(m * n), gradient(n, 5.0), norms(n, 7.0);
      for (int i = 0; i < m; ++i) r[i] = i - 1.0;
      for (int i = 0; i < m * n; ++i) cell[i] = (i * 5) % 7 - 3.0;
      AddGradientAndNorms(m, n, r.data(), cell.data(), gradient.data(),
                          norms.data());
      for (int c = 0; c < n; ++c) {
        double g = 5.0, q = 7.0;
        for (int i = 0; i < m; ++i) {
          g += r[i] * cell[i * n + c];
          q += cell[i * n + c] * cell[i * n + c];
        }
        EXPECT_EQ(gradient[c], g) << m << " x " << n;
        EXPECT_EQ(norms[c], q) << m << " x " << n;
      }
    }
  }
}

// Small integers: sums are exact in any order.
TEST(MultiplyRows, IsTheProductInRowsThatAreApart) {
  constexpr int kStride = 5;
  for (const int m : {0, 1, 3, 6, 7}) {
    std::vector<double> a(4 * m), b(12), to(kStride * m, 77.0);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (i * 5) % 7 - 3.0;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (i * 3) % 5 - 2.0;
    MultiplyRows<4, 3>(m, a.data(), b.data(), kStride, to.data());
    for (int i = 0; i < m; ++i) {
      for (int c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (int k = 0; k < 4; ++k) sum += a[4 * i + k] * b[3 * k + c];
        EXPECT_EQ(to[kStride * i + c], sum);
      }
      EXPECT_EQ(to[kStride * i + 3], 77.0);
      EXPECT_EQ(to[kStride * i + 4], 77.0);
    }
  }
}

}  // namespace
}  // namespace ceres::internal
