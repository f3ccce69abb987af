// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/small_buffer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

template <typename Buffer>
bool LiesInside(Buffer& buffer) {
  const auto begin = reinterpret_cast<uintptr_t>(&buffer);
  const auto data = reinterpret_cast<uintptr_t>(buffer.data());
  return begin <= data && data < begin + sizeof(buffer);
}

TEST(SmallBuffer, FewElementsLieInTheObject) {
  for (const std::size_t size : {0, 1, 4, 5, 40}) {
    SmallBuffer<double, 4> buffer(size);
    EXPECT_EQ(LiesInside(buffer), size <= 4) << size;
    EXPECT_EQ(buffer.end() - buffer.begin(), static_cast<std::ptrdiff_t>(size));
    std::iota(buffer.begin(), buffer.end(), 1.0);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(buffer[i], i + 1.0);
  }
}

TEST(SmallBuffer, MayHaveNoRoomInTheObject) {
  SmallBuffer<double, 0> buffer(1, 3.0);
  EXPECT_FALSE(LiesInside(buffer));
  EXPECT_EQ(buffer[0], 3.0);
}

TEST(SmallBuffer, ElementsLiveAsLongAsTheBuffer) {
  const auto counted = std::make_shared<int>(1);
  for (const std::size_t size : {2, 5}) {
    const SmallBuffer<std::shared_ptr<int>, 4> buffer(size, counted);
    EXPECT_EQ(counted.use_count(), static_cast<long>(size) + 1);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(SmallBuffer, IsNeitherCopiedNorMoved) {
  using Buffer = SmallBuffer<double, 4>;
  static_assert(!std::is_copy_constructible_v<Buffer>);
  static_assert(!std::is_copy_assignable_v<Buffer>);
}

}  // namespace
}  // namespace ceres::internal
