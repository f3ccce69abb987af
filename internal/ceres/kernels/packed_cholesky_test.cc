// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/packed_cholesky.h"

#include <cmath>
#include <limits>
#include <vector>

#include "ceres/kernels/panel_block.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

TEST(PackedCholesky, FactorOfHandCheckedMatrix) {
  // [4 2 6; 2 10 9; 6 9 14] = L L', L = [2 0 0; 1 3 0; 3 2 1].
  double b[] = {4, 2, 10, 6, 9, 14};
  ASSERT_TRUE(PackedCholesky(3, b));
  const double expected[] = {0.5, 1, 1.0 / 3, 3, 2, 1};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(b[k], expected[k], 1e-15) << k;
  // L x = (2, 4, 8), then L' x = that.
  double x[] = {2, 4, 8};
  PackedForwardSolve(3, b, 1, x);
  EXPECT_NEAR(x[0], 1.0, 1e-15);
  EXPECT_NEAR(x[1], 1.0, 1e-15);
  EXPECT_NEAR(x[2], 3.0, 1e-14);
  PackedBackwardSolve(3, b, x);
  EXPECT_NEAR(x[2], 3.0, 1e-14);
  EXPECT_NEAR(x[1], -5.0 / 3, 1e-14);
  EXPECT_NEAR(x[0], (1.0 - 9.0 + 5.0 / 3) / 2, 1e-14);
}

TEST(PackedCholesky, RefusesWhatIsNotPositiveDefinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  // Singular to working precision: the second column is the first, all but
  // exactly.
  const std::vector<std::vector<double>> all = {
      {0, 0, 1},        {-1, 0, 1},
      {1, 1, 1},        {1, 2, 1},
      {nan, 0, 1},      {1, nan, 1},
      {1, 0, nan},      {infinity, 0, 1},
      {1, 0, infinity}, {1e20, 1e20, 1e20 * (1 + 4e-16)}};
  for (const std::vector<double>& matrix : all) {
    std::vector<double> b = matrix;
    EXPECT_FALSE(PackedCholesky(2, b.data()))
        << matrix[0] << ", " << matrix[1] << ", " << matrix[2];
  }
}

TEST(PackedCholesky, ScaleDoesNotMatter) {
  for (const double scale : {1e-200, 1e-30, 1.0, 1e200}) {
    double b[] = {2 * scale, scale, scale};
    EXPECT_TRUE(PackedCholesky(2, b)) << scale;
  }
}

TEST(PanelPosition, GivesEveryElementAPlaceOfItsOwn) {
  for (int rows = 1; rows <= 19; ++rows) {
    for (int columns = 1; columns <= 19; ++columns) {
      const int size = PanelBlockSize(rows, columns);
      EXPECT_EQ(size % kPanelWidth, 0);
      std::vector<int> count(size, 0);
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
          const int position = PanelPosition(rows, columns, r, c);
          ASSERT_GE(position, 0);
          ASSERT_LT(position, size);
          EXPECT_EQ(++count[position], 1) << rows << " x " << columns;
        }
      }
    }
  }
  EXPECT_EQ(PanelBlockSize(9, 9), 88);
  EXPECT_EQ(PanelBlockSize(6, 6), 48);
}

}  // namespace
}  // namespace ceres::internal::kernels
