// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/huge_pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(HugePages, LargeArraysBeginOnAHugePageAndSmallOnesOnACacheLine) {
  for (const std::size_t bytes :
       {std::size_t{1}, kMinHugeBytes - 1, kMinHugeBytes, kMinHugeBytes + 1,
        2 * kHugePageSize - 1, 5 * kHugePageSize + 4097}) {
    void* memory = AllocatePages(bytes);
    EXPECT_EQ(
        reinterpret_cast<std::uintptr_t>(memory) % AlignmentForPages(bytes), 0);
    static_cast<char*>(memory)[bytes - 1] = 1;
    FreePages(memory, bytes);
  }
  EXPECT_EQ(AlignmentForPages(kMinHugeBytes - 1), kCacheLine);
  EXPECT_EQ(AlignmentForPages(kMinHugeBytes), kHugePageSize);
}

TEST(HugePages, TouchingLeavesAllOfAnArrayWritable) {
  for (const std::size_t bytes :
       {std::size_t{1}, kMinHugeBytes, 2 * kHugePageSize - 1,
        9 * kHugePageSize + 4097}) {
    char* const memory = static_cast<char*>(AllocatePages(bytes));
    for (std::size_t page = 0; page < NumHugePages(bytes); ++page) {
      TouchPage(memory, bytes, page);
    }
    std::fill_n(memory, bytes, 'a');
    EXPECT_EQ(std::count(memory, memory + bytes, 'a'),
              static_cast<std::ptrdiff_t>(bytes));
    FreePages(memory, bytes);
  }
}

TEST(HugePages, PagesThatWereDroppedCanBeWrittenAgain) {
  for (const std::size_t bytes :
       {2 * kHugePageSize, 5 * kHugePageSize + 4097}) {
    char* const memory = static_cast<char*>(AllocatePages(bytes));
    EXPECT_TRUE(!AreNewPagesZero(bytes) ||
                std::count(memory, memory + bytes, 0) ==
                    static_cast<std::ptrdiff_t>(bytes));
    std::fill_n(memory, bytes, 'a');
    DropPage(memory, 1);
    EXPECT_EQ(std::count(memory, memory + kHugePageSize, 'a'),
              static_cast<std::ptrdiff_t>(kHugePageSize));
    std::fill_n(memory + kHugePageSize, kHugePageSize, 'b');
    EXPECT_EQ(std::count(memory, memory + bytes, 'b'),
              static_cast<std::ptrdiff_t>(kHugePageSize));
    FreePages(memory, bytes);
  }
}

TEST(HugePages, MemoryOfAnotherAllocatorStaysWritable) {
  for (const std::size_t bytes :
       {std::size_t{1}, kHugePageSize - 1, 7 * kHugePageSize + 4097}) {
    const std::unique_ptr<char[]> memory(new char[bytes + 100]);
    for (const std::size_t offset : {0, 1, 64}) {
      PreferHugePages(memory.get() + offset, bytes);
    }
    std::fill_n(memory.get(), bytes + 100, 'a');
    EXPECT_EQ(std::count(memory.get(), memory.get() + bytes + 100, 'a'),
              static_cast<std::ptrdiff_t>(bytes + 100));
  }
}

TEST(HugePages, AVectorKeepsItsElementsAsItGrowsAndIsCopiedAndMoved) {
  PagedVector<int> numbers = {3};
  numbers.resize(kMinHugeBytes / sizeof(int) + 7);
  std::iota(numbers.begin() + 1, numbers.end(), 1);
  const PagedVector<int> copy = numbers;
  const PagedVector<int> moved = std::move(numbers);
  EXPECT_EQ(copy, moved);
  EXPECT_EQ(copy.front(), 3);
  EXPECT_EQ(copy.back(), static_cast<int>(copy.size()) - 1);
}

}  // namespace
}  // namespace ceres::internal
