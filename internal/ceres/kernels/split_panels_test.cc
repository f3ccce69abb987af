// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/split_panels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "ceres/kernels/panel_block.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

constexpr double kLargest = 1 << 30;

// A block in panel layout and its parts, with memory aligned as they must be.
struct Block {
  Block(int rows, int columns)
      : rows(rows), columns(columns), size(PanelBlockSize(rows, columns)) {
    std::fill_n(values, kMaxSize, 0.0);
  }
  double& at(int r, int c) {
    return values[PanelPosition(rows, columns, r, c)];
  }
  bool Split(const double* row_scale, const double* column_scale) {
    return SplitPanelBlock(rows, columns, values, row_scale, column_scale,
                           whole, rest);
  }

  static constexpr int kMaxSize = 24 * 20;
  const int rows;
  const int columns;
  const int size;
  alignas(64) double values[kMaxSize];
  alignas(64) int32_t whole[kMaxSize];
  alignas(64) float rest[kMaxSize];
};

struct alignas(64) Scales {
  double data[24] = {};
};

TEST(SplitScale, BringsTheDiagonalBelowTheLargestWholeNumber) {
  for (const double diagonal :
       {1.0, 0.5, 0.7, 2.0, 3.0, 4.0, 1e-7, 6e13, 1e-200, 1e300,
        std::numeric_limits<double>::max()}) {
    const double scale = SplitScale(diagonal);
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale, &exponent), 0.5) << diagonal;
    EXPECT_LE(diagonal * scale * scale, kLargest) << diagonal;
    EXPECT_GE(diagonal * scale * scale, 0.25 * kLargest) << diagonal;
  }
}

TEST(SplitScale, IsOneWhereThereIsNoRoot) {
  for (const double diagonal :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_EQ(SplitScale(diagonal), 1.0) << diagonal;
  }
}

TEST(SplitScale, ProductsOfTwoAreFinite) {
  const double scale = SplitScale(std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isfinite(scale * scale));
}

TEST(SplitPanelBlock, PartsAddUpOnEveryTarget) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const std::pair<int, int> sizes[] = {{9, 9}, {6, 6},   {1, 1},   {3, 9},
                                       {9, 3}, {10, 17}, {17, 10}, {8, 12}};
  for (const std::pair<int, int>& size : sizes) {
    const int rows = size.first;
    const int columns = size.second;
    Block block(rows, columns);
    std::vector<double> root_of_row(rows), root_of_column(columns);
    Scales row_scale, column_scale;
    const auto fill = [&](std::vector<double>* roots, Scales* scales) {
      for (size_t i = 0; i < roots->size(); ++i) {
        (*roots)[i] = std::exp(20.0 * uniform(random));
        scales->data[i] = SplitScale((*roots)[i] * (*roots)[i]);
      }
    };
    fill(&root_of_row, &row_scale);
    fill(&root_of_column, &column_scale);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        block.at(r, c) = uniform(random) * root_of_row[r] * root_of_column[c];
      }
    }
    ForEachTarget([&] {
      ASSERT_TRUE(block.Split(row_scale.data, column_scale.data));
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
          const int k = PanelPosition(rows, columns, r, c);
          const double scaled =
              block.at(r, c) * row_scale.data[r] * column_scale.data[c];
          EXPECT_EQ(block.whole[k], std::nearbyint(scaled));
          EXPECT_EQ(block.rest[k],
                    static_cast<float>(scaled - std::nearbyint(scaled)));
        }
      }
      // Padding is zero.
      double sum = 0.0;
      for (int k = 0; k < block.size; ++k) sum += std::abs(block.whole[k]);
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
          sum -= std::abs(block.whole[PanelPosition(rows, columns, r, c)]);
        }
      }
      EXPECT_EQ(sum, 0.0);
    });
  }
}

TEST(SplitPanelBlock, TellsWhatCannotBeSplitOnEveryTarget) {
  Scales ones;
  std::fill_n(ones.data, 24, 1.0);
  for (const double bad :
       {1.01 * kLargest, -2.0 * kLargest, 1e300, std::nan(""),
        -std::numeric_limits<double>::infinity()}) {
    for (const int column : {0, 5, 8}) {
      Block block(9, 9);
      block.at(4, column) = bad;
      ForEachTarget(
          [&] { EXPECT_FALSE(block.Split(ones.data, ones.data)) << bad; });
      block.at(4, column) = -kLargest;
      ForEachTarget([&] { EXPECT_TRUE(block.Split(ones.data, ones.data)); });
    }
  }
}

}  // namespace
}  // namespace ceres::internal::kernels
