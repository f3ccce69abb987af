// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/fixed_array.h"

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "ceres/internal/array_selector.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

template <typename Array>
bool LiesInside(const Array& array) {
  const auto begin = reinterpret_cast<uintptr_t>(&array);
  const auto data = reinterpret_cast<uintptr_t>(array.data());
  return begin <= data && data < begin + sizeof(array);
}

TEST(FixedArray, SmallArraysLieInTheObject) {
  EXPECT_TRUE(LiesInside(FixedArray<double, 4>(0)));
  EXPECT_TRUE(LiesInside(FixedArray<double, 4>(4)));
  EXPECT_FALSE(LiesInside(FixedArray<double, 4>(5)));
  EXPECT_TRUE(LiesInside(FixedArray<double>(32)));
  EXPECT_FALSE(LiesInside(FixedArray<double>(33)));
}

TEST(FixedArray, Constructors) {
  const FixedArray<int, 4> filled(6, 7);
  EXPECT_EQ(std::accumulate(filled.begin(), filled.end(), 0), 42);
  const FixedArray<int, 4> listed = {1, 2, 3};
  EXPECT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed.front(), 1);
  EXPECT_EQ(listed.back(), 3);
  const FixedArray<int, 4> copied(listed);
  EXPECT_EQ(copied, listed);
  EXPECT_NE(copied.data(), listed.data());
  const std::vector<int> source = {1, 2, 4};
  const FixedArray<int, 4> ranged(source.begin(), source.end());
  EXPECT_NE(ranged, listed);
  EXPECT_LT(listed, ranged);
  EXPECT_TRUE((FixedArray<int, 4>(0).empty()));
}

TEST(FixedArray, ElementsLiveAsLongAsTheArray) {
  const auto counted = std::make_shared<int>(1);
  for (const size_t n : {2, 5}) {
    const FixedArray<std::shared_ptr<int>, 4> array(n, counted);
    EXPECT_EQ(counted.use_count(), static_cast<long>(n) + 1);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(FixedArray, IteratesBothWays) {
  FixedArray<int, 4> array(6);
  std::iota(array.begin(), array.end(), 0);
  EXPECT_EQ(*array.rbegin(), 5);
  EXPECT_EQ(array[2], 2);
  EXPECT_EQ(std::accumulate(array.rbegin(), array.rend(), 0), 15);
  array.fill(3);
  EXPECT_EQ(std::accumulate(array.cbegin(), array.cend(), 0), 18);
}

TEST(ArraySelector, ChoosesByWhatIsKnown) {
  using Small = ArraySelector<double, 5, 10>;
  using Large = ArraySelector<double, 11, 10>;
  using Dynamic = ArraySelector<double, DYNAMIC, 10>;
  static_assert(std::is_base_of_v<std::array<double, 5>, Small>);
  static_assert(std::is_base_of_v<std::vector<double>, Large>);
  static_assert(std::is_base_of_v<FixedArray<double, 10>, Dynamic>);
  EXPECT_EQ(Small(5).size(), 5u);
  EXPECT_EQ(Large(11).size(), 11u);
  EXPECT_EQ(Dynamic(3).size(), 3u);
  EXPECT_EQ(Dynamic(30).size(), 30u);
}

}  // namespace
}  // namespace ceres::internal
