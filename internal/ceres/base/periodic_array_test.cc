// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/periodic_array.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PeriodicArray, HoldsAnyList) {
  PeriodicArray<int> array = {5, -1};
  array.PushBack(7);
  EXPECT_TRUE(array.is_list());
  EXPECT_THAT(array.ToVector(), ElementsAre(5, -1, 7));
  EXPECT_EQ(array.back(), 7);
  array.Resize(4);
  array.list()[3] = 2;
  EXPECT_THAT(array.ToVector(), ElementsAre(5, -1, 7, 2));
  EXPECT_THAT(PeriodicArray<int>().ToVector(), IsEmpty());
}

TEST(PeriodicArray, GoesUpByAStepFromElementToElement) {
  PeriodicArray<std::int64_t> array = {1, 2, 3};
  array.MakeLinear(4, 26);
  EXPECT_FALSE(array.is_list());
  EXPECT_THAT(array.ToVector(), ElementsAre(0, 26, 52, 78));
  EXPECT_EQ(array.back(), 78);
  array.MakeLinear(std::int64_t{1} << 40, 1 << 10);
  EXPECT_EQ(array.back(), (std::int64_t{1} << 50) - (1 << 10));
}

TEST(PeriodicArray, ComesBackWithEveryPeriod) {
  PeriodicArray<int> array;
  array.MakePeriodic(5, {2, 8});
  EXPECT_FALSE(array.is_list());
  EXPECT_THAT(array.ToVector(), ElementsAre(2, 8, 2, 8, 2));
  array.MakePeriodic(6, {2, 8, 1, 1});
  EXPECT_THAT(array.ToVector(), ElementsAre(2, 8, 1, 1, 2, 8));
  array.MakePeriodic(0, {7});
  EXPECT_THAT(array.ToVector(), IsEmpty());
}

}  // namespace
}  // namespace ceres::internal
