// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/cholesky_kernels.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

// B B' + n I, its upper triangle planted with NaN, which must not be read.
std::vector<double> PositiveDefiniteMatrix(int n, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> b(n * n), a(n * n);
  for (double& value : b) value = uniform(random);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      double& sum = a[j * n + i];
      sum = i == j ? n : 0.0;
      for (int k = 0; k < n; ++k) sum += b[k * n + i] * b[k * n + j];
      if (i < j) sum = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return a;
}

// tolerance: of the factor, for a matrix of one row.
template <typename T>
void ExpectFactorsAndSolves(double tolerance) {
  for (const int n : {0,  1,  2,  3,  4,  5,  7,  8,  9,   17,  31,
                      47, 48, 49, 53, 64, 95, 96, 97, 101, 130, 151}) {
    SCOPED_TRACE(n);
    const std::vector<double> a = PositiveDefiniteMatrix(n, n);
    std::vector<T> factor(a.begin(), a.end());
    ASSERT_EQ(CholeskyFactorize(n, factor.data()), kPositiveDefinite);
    std::vector<T> x(n);
    std::vector<double> b(n, 0.0);
    for (int j = 0; j < n; ++j) {
      x[j] = static_cast<T>(std::sin(j + 1.0));
      for (int i = 0; i < j; ++i) ASSERT_TRUE(std::isnan(factor[j * n + i]));
      for (int i = j; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k <= j; ++k) {
          sum += double{factor[k * n + i]} * double{factor[k * n + j]};
        }
        ASSERT_NEAR(sum, a[j * n + i], tolerance * (n + 1)) << i << ", " << j;
      }
    }
    for (int j = 0; j < n; ++j) {
      for (int i = j; i < n; ++i) {
        b[i] += a[j * n + i] * double{x[j]};
        if (i != j) b[j] += a[j * n + i] * double{x[i]};
      }
    }
    std::vector<T> solution(b.begin(), b.end());
    CholeskySolve(n, factor.data(), solution.data());
    for (int i = 0; i < n; ++i) ASSERT_NEAR(solution[i], x[i], tolerance);
  }
}

TEST(CholeskyFactorize, FactorsAndSolvesOddSizesInDoubleOnEveryTarget) {
  ForEachTarget([] { ExpectFactorsAndSolves<double>(1e-12); });
}

TEST(CholeskyFactorize, FactorsAndSolvesOddSizesInSingleOnEveryTarget) {
  ForEachTarget([] { ExpectFactorsAndSolves<float>(3e-6); });
}

TEST(CholeskyFactorize, FactorOfHandCheckedMatrix) {
  // [4 2 6; 2 10 9; 6 9 14] = L L', L = [2 0 0; 1 3 0; 3 2 1].
  ForEachTarget([] {
    double a[] = {4, 2, 6, 0, 10, 9, 0, 0, 14};
    ASSERT_EQ(CholeskyFactorize(3, a), kPositiveDefinite);
    const double expected[] = {2, 1, 3, 0, 3, 2, 0, 0, 1};
    for (int i = 0; i < 9; ++i) EXPECT_DOUBLE_EQ(a[i], expected[i]);
  });
}

TEST(CholeskyFactorize, NamesTheFirstBadPivot) {
  ForEachTarget([] {
    const int n = 103;
    for (const int bad : {0, 1, 50, 100, 102}) {
      for (const double value : {-1e6, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()}) {
        std::vector<double> a = PositiveDefiniteMatrix(n, 3);
        a[bad * n + bad] = value;
        EXPECT_EQ(CholeskyFactorize(n, a.data()), bad) << value;
      }
    }
  });
}

TEST(CholeskyFactorize, BitsDoNotDependOnAlignment) {
  const int n = 77;
  std::vector<double> a = PositiveDefiniteMatrix(n, 5);
  std::vector<double> shifted(n * n + 1);
  std::copy(a.begin(), a.end(), shifted.begin() + 1);
  ASSERT_EQ(CholeskyFactorize(n, a.data()), kPositiveDefinite);
  ASSERT_EQ(CholeskyFactorize(n, shifted.data() + 1), kPositiveDefinite);
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      ASSERT_EQ(a[j * n + i], shifted[j * n + i + 1]);
    }
  }
}

}  // namespace
}  // namespace ceres::internal::kernels
