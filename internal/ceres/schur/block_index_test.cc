// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/block_index.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Block = std::pair<int, int>;

std::vector<Block> InOrder(BlockIndex* index) {
  std::vector<Block> blocks;
  index->ForEachInOrder(
      [&](int row, int column) { blocks.emplace_back(row, column); });
  return blocks;
}

// A table, and a hash table that has to grow.
class BlockIndexTest : public testing::TestWithParam<int64_t> {};

TEST_P(BlockIndexTest, DoesWhatAMapDoes) {
  constexpr int kNumRows = 100;
  BlockIndex index(kNumRows, GetParam());
  std::mt19937 random(1);
  std::uniform_int_distribution<int> any(0, kNumRows - 1);
  for (const int num_blocks : {0, 1, 3000, 7}) {
    std::map<Block, int> expected;
    for (int i = 0; i < num_blocks; ++i) {
      const Block block = {any(random), any(random)};
      if (i % 3 == 0) {
        index.Add(block.first, block.second);
        expected.emplace(block, 0);
      } else {
        index.Set(block.first, block.second, i);
        expected[block] = i;
      }
    }
    std::vector<Block> blocks;
    for (const auto& [block, number] : expected) {
      blocks.push_back(block);
      EXPECT_EQ(index.Find(block.first, block.second), number);
    }
    EXPECT_EQ(InOrder(&index), blocks);
    index.Clear();
    EXPECT_TRUE(InOrder(&index).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(TableAndHash, BlockIndexTest,
                         testing::Values(kMaxBlockTableSize, 0));

// Bits, and a hash table.
class BlockSetTest : public testing::TestWithParam<int64_t> {};

TEST_P(BlockSetTest, DoesWhatASetDoes) {
  constexpr int kNumRows = 150;
  constexpr int kFirst = 1000;
  BlockSet blocks(kNumRows, kFirst, GetParam());
  std::mt19937 random(1);
  std::uniform_int_distribution<int> any(0, kNumRows - 1);
  for (const int num_cliques : {0, 1, 300, 7}) {
    std::set<Block> expected;
    for (int i = 0; i < num_cliques; ++i) {
      std::set<int> rows;
      for (int k = 0; k < 6; ++k) rows.insert(any(random));
      std::vector<int> columns;
      columns.reserve(rows.size());
      for (const int row : rows) columns.push_back(kFirst + row);
      const bool has_pairs = i % 3 != 0;
      if (has_pairs) {
        blocks.AddPairs(columns.data(), columns.data() + columns.size());
      } else {
        blocks.AddDiagonal(columns.data(), columns.data() + columns.size());
      }
      for (const int a : rows) {
        for (const int b : rows) {
          if (a == b || (has_pairs && a < b)) expected.emplace(a, b);
        }
      }
    }
    std::vector<Block> taken;
    const auto take = [&](int row, int column) {
      taken.emplace_back(row, column);
    };
    blocks.TakeInOrder(take);
    EXPECT_EQ(taken, std::vector<Block>(expected.begin(), expected.end()));
    taken.clear();
    blocks.TakeInOrder(take);
    EXPECT_TRUE(taken.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(TableAndHash, BlockSetTest,
                         testing::Values(kMaxBlockBitmapSize, 0));

}  // namespace
}  // namespace ceres::internal
