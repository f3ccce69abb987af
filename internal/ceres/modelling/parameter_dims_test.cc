// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/parameter_dims.h"

#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(StaticParameterDims, OffsetsAreSumsOfTheSizesBefore) {
  using Dims = StaticParameterDims<2, 3, 4>;
  static_assert(Dims::kNumParameterBlocks == 3 && Dims::kNumParameters == 9);
  static_assert(Dims::SizeOf(0) == 2 && Dims::SizeOf(2) == 4);
  static_assert(Dims::OffsetOf(0) == 0 && Dims::OffsetOf(1) == 2);
  static_assert(Dims::OffsetOf(2) == 5 && Dims::OffsetOf(3) == 9);
  const double x[9] = {};
  const auto blocks = Dims::SplitIntoBlocks(x);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(blocks[i], x + Dims::OffsetOf(i));
}

TEST(StaticParameterDims, VisitsBlocksUntilOneReturnsFalse) {
  using Dims = StaticParameterDims<2, 3, 4>;
  std::vector<int> sizes;
  EXPECT_TRUE(Dims::ForEachBlock([&](auto block) {
    static_assert(block < 3);
    sizes.push_back(Dims::SizeOf(block));
    return true;
  }));
  EXPECT_EQ(sizes, std::vector<int>({2, 3, 4}));
  sizes.clear();
  EXPECT_FALSE(Dims::ForEachBlock([&](auto block) {
    sizes.push_back(Dims::SizeOf(block));
    return block < 1;
  }));
  EXPECT_EQ(sizes, std::vector<int>({2, 3}));
}

TEST(StaticParameterDims, CallsWithOnePointerPerBlock) {
  const auto functor = [](const double* x, const double* y, double* r) {
    r[0] = 10.0 * x[0] + y[0];
    return r[0] < 20.0;
  };
  double x = 1.0, r = 0.0;
  const double y = 2.0;
  const double* blocks[2] = {&x, &y};
  using Dims = StaticParameterDims<1, 1>;
  EXPECT_TRUE(Dims::Call(functor, blocks, &r));
  EXPECT_EQ(r, 12.0);
  x = 2.0;
  EXPECT_FALSE(Dims::Call(functor, blocks, &r));
  EXPECT_EQ(r, 22.0);
}

TEST(BlocksOfAnySize, CallsWithTheArrayOfPointers) {
  const auto functor = [](double const* const* x, double* r) {
    r[0] = x[0][0] - x[1][0];
    return false;
  };
  const double x = 1.0, y = 2.0;
  const double* blocks[2] = {&x, &y};
  double r = 0.0;
  EXPECT_FALSE(BlocksOfAnySize::Call(functor, blocks, &r));
  EXPECT_EQ(r, -1.0);
}

}  // namespace
}  // namespace ceres::internal
