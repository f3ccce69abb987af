// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/block_pool.h"

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(BlockPool, BlocksAreAlignedDistinctAndContained) {
  BlockPool pool;
  std::vector<char*> blocks;
  for (int i = 0; i < 5000; ++i) {
    const std::size_t size = 1 + (i * 37) % 200;
    char* block = static_cast<char*>(pool.Allocate(size));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(void*), 0u);
    std::memset(block, i % 251, size);
    blocks.push_back(block);
  }
  for (int i = 0; i < 5000; ++i) {
    const std::size_t size = 1 + (i * 37) % 200;
    for (std::size_t k = 0; k < size; ++k) {
      ASSERT_EQ(static_cast<unsigned char>(blocks[i][k]), i % 251);
    }
    EXPECT_TRUE(pool.Contains(blocks[i]));
  }
}

TEST(BlockPool, DoesNotContainWhatIsElsewhere) {
  BlockPool empty;
  int on_stack = 0;
  EXPECT_FALSE(empty.Contains(&on_stack));
  BlockPool pool;
  pool.Allocate(48);
  EXPECT_FALSE(pool.Contains(&on_stack));
  EXPECT_FALSE(pool.Contains(nullptr));
}

TEST(BlockPool, ReusesFreedMemoryOfTheSameSize) {
  BlockPool pool;
  void* block = pool.Allocate(44);
  pool.Free(block, 44);
  EXPECT_NE(pool.Allocate(128), block);
  EXPECT_EQ(pool.Allocate(48), block);
  EXPECT_NE(pool.Allocate(48), block);
}

TEST(BlockPool, BlocksMayBeLargerThanAChunk) {
  BlockPool pool;
  constexpr std::size_t kSize = std::size_t{1} << 24;
  char* block = static_cast<char*>(pool.Allocate(kSize));
  block[0] = 1;
  block[kSize - 1] = 1;
  EXPECT_TRUE(pool.Contains(block + kSize - 1));
}

TEST(BlockPool, PiecesAreFreedAmongBlocks) {
  BlockPool pool;
  void* const block = pool.Allocate(48);
  char* const small = static_cast<char*>(pool.AllocatePiece(40));
  constexpr std::size_t kSize = std::size_t{1} << 23;
  char* const large = static_cast<char*>(pool.AllocatePiece(kSize));
  // The blocks around the pieces remain neighbours.
  EXPECT_EQ(pool.Allocate(48), static_cast<char*>(block) + 48);
  std::memset(small, 1, 40);
  large[kSize - 1] = 1;
  EXPECT_TRUE(pool.Contains(small + 39));
  EXPECT_TRUE(pool.Contains(large + kSize - 1));
  pool.FreePiece(large);
  EXPECT_FALSE(pool.Contains(large));
  pool.FreePiece(small);
  EXPECT_FALSE(pool.Contains(small));
  EXPECT_TRUE(pool.Contains(block));
}

}  // namespace
}  // namespace ceres::internal
