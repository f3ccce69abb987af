// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/density_grid.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(DensityGrid, SmallMatrixHasACellPerElement) {
  DensityGrid grid(3);
  grid.AddBlock(0, 1, 0, 1);
  grid.AddBlock(1, 2, 0, 1);
  EXPECT_EQ(grid.grid_size(), 3);
  EXPECT_EQ(grid.Digits(),
            "900"
            "900"
            "900");
}

TEST(DensityGrid, FullMatrixIsFullInEveryCell) {
  const int size = 3 * kMaxGridSize + 17;
  DensityGrid grid(size);
  grid.AddBlock(0, size, 0, size);
  EXPECT_EQ(grid.grid_size(), kMaxGridSize);
  EXPECT_EQ(grid.Digits(), std::string(kMaxGridSize * kMaxGridSize, '9'));
}

TEST(DensityGrid, DigitsAreLogarithmic) {
  // A cell has 100 x 100 elements.
  DensityGrid grid(100 * kMaxGridSize);
  grid.AddBlock(0, 100, 0, 100);   // density 1
  grid.AddBlock(0, 10, 100, 100);  // 0.1
  grid.AddBlock(0, 10, 200, 10);   // 0.01
  grid.AddBlock(0, 1, 300, 1);     // 0.0001
  EXPECT_EQ(grid.Digits().substr(0, 5), "97510");
}

TEST(DensityGrid, BlockOnABoundaryIsDividedBetweenCells) {
  DensityGrid grid(10 * kMaxGridSize);
  grid.AddBlock(5, 10, 5, 10);
  const std::string digits = grid.Digits();
  // A quarter of each of four cells, and nothing elsewhere.
  EXPECT_EQ(std::count(digits.begin(), digits.end(), '0'),
            static_cast<int>(digits.size()) - 4);
  EXPECT_NE(digits[0], '0');
  EXPECT_EQ(digits[0], digits[1]);
  EXPECT_EQ(digits[0], digits[kMaxGridSize]);
  EXPECT_EQ(digits[0], digits[kMaxGridSize + 1]);
}

TEST(DensityGrid, BlockThatEndsAtABoundaryStaysInItsCells) {
  // A cell has 1.15 rows: row 115 begins with cell 100, and 100 * 1.15 is
  // rounded to less than 115.
  DensityGrid grid(184);
  grid.AddBlock(114, 1, 114, 1);
  const std::string digits = grid.Digits();
  EXPECT_NE(digits[99 * kMaxGridSize + 99], '0');
  EXPECT_EQ(std::count(digits.begin(), digits.end(), '0'),
            static_cast<int>(digits.size()) - 1);
}

}  // namespace
}  // namespace ceres::internal
