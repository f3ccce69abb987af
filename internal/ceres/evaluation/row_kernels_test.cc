// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_kernels.h"

#include <cmath>
#include <limits>
#include <vector>

#include "Eigen/Core"
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

using Matrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Small integers: sums are exact in any order.
Matrix Integers(int num_rows, int num_columns) {
  Matrix matrix(num_rows, num_columns);
  for (int i = 0; i < matrix.size(); ++i) matrix.data()[i] = (i * 5) % 7 - 3.0;
  return matrix;
}

TEST(AddGradientAndNorms, AddsProductsOfAllSizes) {
  for (int m = 1; m <= 4; ++m) {
    for (int n = 1; n <= 11; ++n) {
      const Matrix r = Integers(m, 1), cell = Integers(m, n);
      Matrix gradient = Matrix::Constant(n, 1, 5.0);
      Matrix norms = Matrix::Constant(n, 1, 7.0);
      AddGradientAndNorms(m, n, r.data(), cell.data(), gradient.data(),
                          norms.data());
      EXPECT_EQ(gradient,
                Matrix(Matrix::Constant(n, 1, 5.0) + cell.transpose() * r));
      EXPECT_EQ(norms, Matrix(Matrix::Constant(n, 1, 7.0) +
                              cell.colwise().squaredNorm().transpose()));
    }
  }
}

TEST(MultiplyRows, IsTheProductInRowsThatAreApart) {
  for (const int m : {0, 1, 3, 6, 7}) {
    const Matrix a = Integers(m, 4), b = Integers(4, 3);
    Matrix to = Matrix::Constant(m, 5, 77.0), expected = to;
    MultiplyRows<4, 3>(m, a.data(), b.data(), /*stride=*/5, to.data());
    expected.leftCols(3) = a * b;
    EXPECT_EQ(to, expected);
  }
}

}  // namespace
}  // namespace ceres::internal
