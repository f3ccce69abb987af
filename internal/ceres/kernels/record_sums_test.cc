// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/record_sums.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

// Of a record: residuals, and columns of the two cells.
struct Sizes {
  int m, e, f;
  RecordShape shape() const { return FindRecordShape(m, e, f); }
};
constexpr Sizes kAllSizes[] = {{2, 3, 6},  {2, 3, 8}, {2, 3, 9},
                               {2, 3, 10}, {3, 3, 3}, {6, 6, 6}};

// Records of some points, each seen by some cameras, and where their sums go.
// Nothing may be read or written behind either: no slack anywhere.
struct Records {
  explicit Records(const Sizes& sizes)
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
  int num_records() const { return static_cast<int>(destination.size()) / 2; }

  const int size;
  int num_sums;
  std::vector<double> values;
  std::vector<uint32_t> destination;
};

TEST(AddRecordSums, EqualsPlainTwinOnEveryTarget) {
  for (const Sizes& sizes : kAllSizes) {
    const Records records(sizes);
    ASSERT_NE(sizes.shape(), RecordShape::kOther);
    std::vector<double> plain_gradient(records.num_sums, 0.5);
    std::vector<double> plain_norms(records.num_sums, 0.25);
    AddRecordSumsPlain(sizes.m, sizes.e, sizes.f, records.num_records(),
                       records.values.data(), records.destination.data(),
                       plain_gradient.data(), plain_norms.data());
    ForEachTarget([&] {
      std::vector<double> gradient(records.num_sums, 0.5);
      std::vector<double> norms(records.num_sums, 0.25);
      AddRecordSums(sizes.shape(), records.num_records(), records.values.data(),
                    records.destination.data(), gradient.data(), norms.data());
      for (int i = 0; i < records.num_sums; ++i) {
        EXPECT_NEAR(gradient[i], plain_gradient[i], 1e-14);
        EXPECT_NEAR(norms[i], plain_norms[i], 1e-14);
      }
    });
  }
}

TEST(FillRecords, FillsSoMuchAndNoMoreOnEveryTarget) {
  ForEachTarget([&] {
    for (const int begin : {0, 1, 5}) {
      for (const int n : {0, 1, 7, 8, 26, 100}) {
        std::vector<double> v(begin + n + 1, 1.0);
        FillRecords(n, 2.0, v.data() + begin);
        for (int i = 0; i <= begin + n; ++i) {
          EXPECT_EQ(v[i], i >= begin && i < begin + n ? 2.0 : 1.0) << i;
        }
      }
    }
  });
}

TEST(AddRecordSums, BitsDoNotDependOnTheCut) {
  const Records records({2, 3, 9});
  ForEachTarget([&] {
    std::vector<double> whole_gradient(records.num_sums),
        whole_norms(records.num_sums);
    std::vector<double> gradient(records.num_sums), norms(records.num_sums);
    AddRecordSums(RecordShape::k2x3x9, records.num_records(),
                  records.values.data(), records.destination.data(),
                  whole_gradient.data(), whole_norms.data());
    for (int i = 0; i < records.num_records(); ++i) {
      AddRecordSums(
          RecordShape::k2x3x9, 1, records.values.data() + i * records.size,
          records.destination.data() + 2 * i, gradient.data(), norms.data());
    }
    EXPECT_EQ(gradient, whole_gradient);
    EXPECT_EQ(norms, whole_norms);
  });
}

TEST(AddRecordSums, EveryInvalidEntryOfACellIsSeenInTheNorms) {
  for (const Sizes& sizes : kAllSizes) {
    ForEachTarget([&] {
      for (int i = sizes.m; i < sizes.m * (1 + sizes.e + sizes.f); ++i) {
        Records records(sizes);
        records.values[2 * records.size + i] =
            std::numeric_limits<double>::quiet_NaN();
        std::vector<double> gradient(records.num_sums);
        std::vector<double> norms(records.num_sums);
        AddRecordSums(sizes.shape(), records.num_records(),
                      records.values.data(), records.destination.data(),
                      gradient.data(), norms.data());
        double sum = 0.0;
        for (const double norm : norms) sum += norm;
        EXPECT_FALSE(std::isfinite(sum)) << i;
      }
    });
  }
}

TEST(FindRecordShape, OtherSizesHaveNoCodeOfTheirOwn) {
  EXPECT_EQ(FindRecordShape(3, 3, 9), RecordShape::kOther);
  EXPECT_EQ(FindRecordShape(2, 4, 9), RecordShape::kOther);
  EXPECT_EQ(FindRecordShape(2, 3, 7), RecordShape::kOther);
}

}  // namespace
}  // namespace ceres::internal::kernels
