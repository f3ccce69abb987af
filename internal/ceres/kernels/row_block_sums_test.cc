// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/row_block_sums.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

// The residuals of a row block, and the columns of its two cells.
struct Sizes {
  int m, e, f;
  RowBlockShape shape() const { return FindRowBlockShape(m, e, f); }
};
constexpr Sizes kAllSizes[] = {{2, 3, 6},  {2, 3, 8}, {2, 3, 9},
                               {2, 3, 10}, {3, 3, 3}, {6, 6, 6}};

// Row blocks of some points, each seen by some cameras, and where their sums
// go. Nothing may be read or written behind either: no slack anywhere.
struct RowBlocks {
  explicit RowBlocks(const Sizes& sizes)
      : size(sizes.m * (1 + sizes.e + sizes.f)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    constexpr int kPoints = 5, kCameras = 4;
    num_sums = kPoints * sizes.e + kCameras * sizes.f;
    for (int point = 0; point < kPoints; ++point) {
      for (int k = 0; k <= point % kCameras; ++k) {
        destination.push_back(kCameras * sizes.f + point * sizes.e);
        destination.push_back(((point + k) % kCameras) * sizes.f);
        for (int i = 0; i < size; ++i) values.push_back(uniform(random));
      }
    }
  }
  int num_row_blocks() const {
    return static_cast<int>(destination.size()) / 2;
  }

  const int size;
  int num_sums;
  std::vector<double> values;
  std::vector<uint32_t> destination;
};

TEST(AddRowBlockSums, EqualsSimpleLoopsOnEveryTarget) {
  for (const Sizes& sizes : kAllSizes) {
    const RowBlocks row_blocks(sizes);
    ASSERT_NE(sizes.shape(), RowBlockShape::kOther);
    std::vector<double> expected_gradient(row_blocks.num_sums, 0.5);
    std::vector<double> expected_norms(row_blocks.num_sums, 0.25);
    for (int i = 0; i < row_blocks.num_row_blocks(); ++i) {
      const double* const r = row_blocks.values.data() + i * row_blocks.size;
      const double* value = r + sizes.m;
      for (int cell = 0; cell < 2; ++cell) {
        const int width = cell == 0 ? sizes.e : sizes.f;
        for (int k = 0; k < sizes.m * width; ++k, ++value) {
          const int sum = row_blocks.destination[2 * i + cell] + k % width;
          expected_gradient[sum] += r[k / width] * *value;
          expected_norms[sum] += *value * *value;
        }
      }
    }
    ForEachTarget([&] {
      std::vector<double> gradient(row_blocks.num_sums, 0.5);
      std::vector<double> norms(row_blocks.num_sums, 0.25);
      AddRowBlockSums(sizes.shape(), row_blocks.num_row_blocks(),
                      row_blocks.values.data(), row_blocks.destination.data(),
                      gradient.data(), norms.data());
      for (int i = 0; i < row_blocks.num_sums; ++i) {
        EXPECT_NEAR(gradient[i], expected_gradient[i], 1e-14);
        EXPECT_NEAR(norms[i], expected_norms[i], 1e-14);
      }
    });
  }
}

TEST(FillRowBlocks, FillsSoMuchAndNoMoreOnEveryTarget) {
  ForEachTarget([&] {
    for (const int begin : {0, 1, 5}) {
      for (const int n : {0, 1, 7, 8, 26, 100}) {
        std::vector<double> v(begin + n + 1, 1.0);
        FillRowBlocks(n, 2.0, v.data() + begin);
        for (int i = 0; i <= begin + n; ++i) {
          EXPECT_EQ(v[i], i >= begin && i < begin + n ? 2.0 : 1.0) << i;
        }
      }
    }
  });
}

TEST(AddRowBlockSums, BitsDoNotDependOnTheCut) {
  const RowBlocks row_blocks({2, 3, 9});
  ForEachTarget([&] {
    std::vector<double> whole_gradient(row_blocks.num_sums),
        whole_norms(row_blocks.num_sums);
    std::vector<double> gradient(row_blocks.num_sums),
        norms(row_blocks.num_sums);
    AddRowBlockSums(RowBlockShape::k2x3x9, row_blocks.num_row_blocks(),
                    row_blocks.values.data(), row_blocks.destination.data(),
                    whole_gradient.data(), whole_norms.data());
    for (int i = 0; i < row_blocks.num_row_blocks(); ++i) {
      AddRowBlockSums(RowBlockShape::k2x3x9, 1,
                      row_blocks.values.data() + i * row_blocks.size,
                      row_blocks.destination.data() + 2 * i, gradient.data(),
                      norms.data());
    }
    EXPECT_EQ(gradient, whole_gradient);
    EXPECT_EQ(norms, whole_norms);
  });
}

TEST(AddRowBlockSums, EveryInvalidEntryOfACellIsSeenInTheNorms) {
  for (const Sizes& sizes : kAllSizes) {
    ForEachTarget([&] {
      for (int i = sizes.m; i < sizes.m * (1 + sizes.e + sizes.f); ++i) {
        RowBlocks row_blocks(sizes);
        row_blocks.values[2 * row_blocks.size + i] =
            std::numeric_limits<double>::quiet_NaN();
        std::vector<double> gradient(row_blocks.num_sums);
        std::vector<double> norms(row_blocks.num_sums);
        AddRowBlockSums(sizes.shape(), row_blocks.num_row_blocks(),
                        row_blocks.values.data(), row_blocks.destination.data(),
                        gradient.data(), norms.data());
        double sum = 0.0;
        for (const double norm : norms) sum += norm;
        EXPECT_FALSE(std::isfinite(sum)) << i;
      }
    });
  }
}

TEST(FindRowBlockShape, OtherSizesHaveNoCodeOfTheirOwn) {
  EXPECT_EQ(FindRowBlockShape(3, 3, 9), RowBlockShape::kOther);
  EXPECT_EQ(FindRowBlockShape(2, 4, 9), RowBlockShape::kOther);
  EXPECT_EQ(FindRowBlockShape(2, 3, 7), RowBlockShape::kOther);
}

}  // namespace
}  // namespace ceres::internal::kernels
