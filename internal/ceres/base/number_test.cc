// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/number.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(CountOf, OnlyOneIsSingular) {
  EXPECT_EQ(CountOf(0, "row"), "0 rows");
  EXPECT_EQ(CountOf(1, "row"), "1 row");
  EXPECT_EQ(CountOf(2, "residual block"), "2 residual blocks");
  EXPECT_EQ(CountOf(std::numeric_limits<std::int64_t>::max(), "byte"),
            "9223372036854775807 bytes");
}

TEST(CountOf, TakesAnIrregularPlural) {
  EXPECT_EQ(CountOf(1, "matrix", "matrices"), "1 matrix");
  EXPECT_EQ(CountOf(3, "matrix", "matrices"), "3 matrices");
}

}  // namespace
}  // namespace ceres::internal
