// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/occupied_memory.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// An address; nothing is read or written there.
const double* At(std::uintptr_t address) {
  return reinterpret_cast<const double*>(address);
}

TEST(OccupiedMemory, NeighboursDoNotOverlap) {
  OccupiedMemory memory;
  EXPECT_TRUE(memory.Add(At(0x1000), 3));
  EXPECT_TRUE(memory.Add(At(0x1000 + 24), 1));
  EXPECT_TRUE(memory.Add(At(0x1000 - 8), 1));
  EXPECT_FALSE(memory.Add(At(0x1000 + 16), 1));
  EXPECT_FALSE(memory.Add(At(0x1000 - 16), 2));
  EXPECT_TRUE(memory.Add(At(0x1000 - 16), 1));
}

TEST(OccupiedMemory, LargeBlocksSpanPages) {
  OccupiedMemory memory;
  EXPECT_TRUE(memory.Add(At(0x10000 - 8), 1000));
  EXPECT_FALSE(memory.Add(At(0x10000 + 999 * 8 - 16), 1));
  EXPECT_TRUE(memory.Add(At(0x10000 + 999 * 8), 64));
  EXPECT_FALSE(memory.Add(At(0x8000), 0x10000 / 8));
}

TEST(OccupiedMemory, RemovedBlocksAreFree) {
  OccupiedMemory memory;
  EXPECT_TRUE(memory.Add(At(0x1000), 100));
  memory.Remove(At(0x1000), 100);
  EXPECT_TRUE(memory.Add(At(0x1008), 99));
}

TEST(OccupiedMemory, EmptyBlocksOverlapNothing) {
  OccupiedMemory memory;
  EXPECT_TRUE(memory.Add(At(0x1000), 0));
  EXPECT_TRUE(memory.Add(At(0x1000), 2));
  EXPECT_TRUE(memory.Add(At(0x1008), 0));
}

TEST(OccupiedMemory, UnalignedBlocksAreExact) {
  OccupiedMemory memory;
  EXPECT_TRUE(memory.Add(At(0x1004), 2));
  EXPECT_TRUE(memory.Add(At(0x1014), 1));
  EXPECT_FALSE(memory.Add(At(0x100c), 1));
  EXPECT_FALSE(memory.Add(At(0x1018), 1));
  EXPECT_TRUE(memory.Add(At(0x1020), 1));
  EXPECT_FALSE(memory.Add(At(0x101c), 1));
  EXPECT_FALSE(memory.Add(At(0x1000), 1));
  memory.Remove(At(0x1004), 2);
  EXPECT_TRUE(memory.Add(At(0x1000), 1));
}

// Against one flag per 4 bytes.
TEST(OccupiedMemory, AgreesWithAPlainModel) {
  constexpr int kNumWords = 4000;
  constexpr std::uintptr_t kBase = 0x7f0000000000;
  std::vector<bool> occupied(kNumWords, false);
  std::vector<std::pair<int, int>> blocks;
  OccupiedMemory memory;
  unsigned random = 7;
  const auto next = [&random](unsigned n) {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % n;
  };
  for (int step = 0; step < 20000; ++step) {
    if (next(3) == 0 && !blocks.empty()) {
      std::swap(blocks[next(blocks.size())], blocks.back());
      const auto [begin, size] = blocks.back();
      blocks.pop_back();
      memory.Remove(At(kBase + 4 * begin), size);
      for (int i = 0; i < 2 * size; ++i) occupied[begin + i] = false;
      continue;
    }
    const int size = 1 + next(12);
    const bool unaligned = next(8) == 0;
    const int begin = 2 * next(kNumWords / 2 - 20) + (unaligned ? 1 : 0);
    bool is_free = true;
    for (int i = 0; i < 2 * size; ++i) {
      is_free = is_free && !occupied[begin + i];
    }
    ASSERT_EQ(memory.Add(At(kBase + 4 * begin), size), is_free);
    if (!is_free) continue;
    blocks.emplace_back(begin, size);
    for (int i = 0; i < 2 * size; ++i) occupied[begin + i] = true;
  }
}

}  // namespace
}  // namespace ceres::internal
