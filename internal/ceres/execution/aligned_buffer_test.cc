// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/aligned_buffer.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ceres/execution/context_impl.h"
#include "ceres/execution/execution.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(AlignedBuffer, StartsOnACacheLineAtAllSizes) {
  std::vector<AlignedBuffer> buffers;  // at the same time
  for (const std::size_t size : {1, 2, 3, 7, 8, 100, 2000, 2047, 2048, 5000}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      AlignedBuffer& buffer = buffers.emplace_back(size);
      EXPECT_EQ(buffer.size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) %
                    AlignedBuffer::kAlignment,
                0u);
      std::fill_n(buffer.data(), size + AlignedBuffer::kSlack,
                  static_cast<double>(buffers.size()));
    }
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const double* const begin = buffers[i].data();
    const std::size_t size = buffers[i].size() + AlignedBuffer::kSlack;
    EXPECT_EQ(std::count(begin, begin + size, i + 1.0),
              static_cast<std::ptrdiff_t>(size));
  }
}

TEST(AlignedBuffer, IsNullWhenEmpty) {
  AlignedBuffer buffer;
  EXPECT_EQ(buffer.data(), nullptr);
  buffer.Resize(5);
  EXPECT_NE(buffer.data(), nullptr);
  buffer.Resize(0);
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.size(), 0u);
}

TEST(AlignedBuffer, IsTouchedByAllThreads) {
  ContextImpl context;
  context.EnsureMinimumThreads(2);
  for (const std::size_t size : {5, 5000, 2000003}) {
    AlignedBuffer buffer;
    buffer.Resize(Execution{&context, 2}, size);
    ASSERT_EQ(buffer.size(), size);
    std::fill_n(buffer.data(), size, 1.0);
    EXPECT_EQ(std::accumulate(buffer.data(), buffer.data() + size, 0.0), size);
  }
}

TEST(AlignedBuffer, IsZeroWhereThatIsAskedFor) {
  ContextImpl context;
  context.EnsureMinimumThreads(2);
  const Execution execution{&context, 2};
  for (const std::size_t size : {5, 5000, 2000003}) {
    AlignedBuffer buffer;
    for (int repeat = 0; repeat < 2; ++repeat) {
      buffer.ResizeToZeros(execution, size);
      ASSERT_EQ(buffer.size(), size);
      EXPECT_EQ(std::count(buffer.data(), buffer.data() + size, 0.0),
                static_cast<std::ptrdiff_t>(size));
      std::fill_n(buffer.data(), size, 1.0);
    }
    buffer.ResizeToZeros(execution, size + 1);
    EXPECT_EQ(std::count(buffer.data(), buffer.data() + size + 1, 0.0),
              static_cast<std::ptrdiff_t>(size + 1));
  }
}

TEST(AlignedBuffer, IsEmptyAfterItsReleaseAndMayBeUsedAgain) {
  ContextImpl context;
  context.EnsureMinimumThreads(2);
  for (const int num_threads : {1, 2}) {
    const Execution execution{&context, num_threads};
    for (const std::size_t size : {0, 5, 5000, 2000003}) {
      AlignedBuffer buffer(size);
      std::fill_n(buffer.data(), size, 1.0);
      buffer.Release(execution);
      EXPECT_EQ(buffer.size(), 0u);
      EXPECT_EQ(buffer.data(), nullptr);
      buffer.Resize(execution, size);
      std::fill_n(buffer.data(), size, 2.0);
      EXPECT_EQ(std::accumulate(buffer.data(), buffer.data() + size, 0.0),
                2.0 * static_cast<double>(size));
    }
  }
}

TEST(AlignedBuffer, MovesItsMemory) {
  for (const std::size_t size : {5, 5000}) {
    AlignedBuffer from(size);
    std::iota(from.data(), from.data() + size, 0.0);
    const double* const memory = from.data();
    AlignedBuffer to(3);
    to = std::move(from);
    EXPECT_EQ(to.data(), memory);
    EXPECT_EQ(to.data()[size - 1], size - 1.0);
  }
}

TEST(AlignedBuffer, KeepsItsMemoryWhileTheSizeStays) {
  AlignedBuffer buffer(10);
  const double* const memory = buffer.data();
  buffer.Resize(10);
  EXPECT_EQ(buffer.data(), memory);
}

}  // namespace
}  // namespace ceres::internal
