// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/node_pool.h"

#include <memory>
#include <new>
#include <set>
#include <vector>

#include "ceres/parallel/testing/test_threads.h"
#include "gtest/gtest.h"

namespace ceres::parallel::detail {
namespace {

struct CountedNode {
  int number = 0;
};

// Nodes live as long as the test.
struct CountedNodes {
  using Node = CountedNode;

  void NewBatch(CountedNode** nodes, int count) {
    if (fail) throw std::bad_alloc();
    for (int k = 0; k < count; ++k) {
      made.push_back(std::make_unique<CountedNode>());
      made.back()->number = static_cast<int>(made.size());
      nodes[k] = made.back().get();
    }
  }

  std::vector<std::unique_ptr<CountedNode>> made;
  bool fail = false;
};

class TestPool : public NodePool<CountedNodes> {
 public:
  int num_made() { return static_cast<int>(traits().made.size()); }
  void RunOutOfMemory() { traits().fail = true; }
};

constexpr int kBatch = TestPool::kBatch;

// Pools are made for ever: they do not give their memory back.
TestPool& NewPool() {
  static auto* const pools = new std::vector<std::unique_ptr<TestPool>>;
  pools->push_back(std::make_unique<TestPool>());
  return *pools->back();
}

std::vector<CountedNode*> TakeMany(TestPool& pool, TestPool::Cache* cache,
                                   int count) {
  std::vector<CountedNode*> taken;
  for (int k = 0; k < count; ++k) taken.push_back(pool.Take(cache));
  return taken;
}

void ExpectDifferent(const std::vector<CountedNode*>& nodes) {
  EXPECT_EQ(std::set<CountedNode*>(nodes.begin(), nodes.end()).size(),
            nodes.size());
}

TEST(NodePool, HandsOutAgainWhatWasGivenBackAndMakesNoMore) {
  TestPool& pool = NewPool();
  TestPool::Cache cache;
  for (int round = 0; round < 5; ++round) {
    const auto taken = TakeMany(pool, &cache, 5 * kBatch + 3);
    ExpectDifferent(taken);
    for (CountedNode* const node : taken) pool.Give(&cache, node);
  }
  EXPECT_EQ(pool.num_made(), 6 * kBatch);
}

TEST(NodePool, NodesGivenBackByAnotherThreadComeBack) {
  TestPool& pool = NewPool();
  TestPool::Cache taker;
  TestPool::Cache giver;
  for (int round = 0; round < 20; ++round) {
    for (CountedNode* const node : TakeMany(pool, &taker, 4 * kBatch)) {
      pool.Give(&giver, node);
    }
  }
  // Both caches hold at most this number, and a round takes the rest.
  EXPECT_LE(pool.num_made(), 4 * kBatch + 2 * 2 * kBatch);
}

TEST(NodePool, NothingStaysWithAThreadThatHasEnded) {
  TestPool& pool = NewPool();
  for (int round = 0; round < 100; ++round) {
    TestPool::Cache cache;
    const auto taken = TakeMany(pool, &cache, 3 + round % 5);
    pool.Give(&cache, taken[0]);
    pool.Close(&cache);
    // Destructors of thread_local objects may come later.
    for (std::size_t k = 1; k < taken.size(); ++k) pool.Give(&cache, taken[k]);
    EXPECT_EQ(cache.count, 0);
  }
  EXPECT_EQ(pool.num_made(), kBatch);
  TestPool::Cache cache;
  const auto taken = TakeMany(pool, &cache, kBatch);
  ExpectDifferent(taken);
  EXPECT_EQ(pool.num_made(), kBatch);
}

TEST(NodePool, IsAsBeforeWhenThereIsNoMemory) {
  TestPool& pool = NewPool();
  TestPool::Cache cache;
  const auto taken = TakeMany(pool, &cache, kBatch);
  pool.RunOutOfMemory();
  EXPECT_THROW(pool.Take(&cache), std::bad_alloc);
  for (CountedNode* const node : taken) pool.Give(&cache, node);
  EXPECT_EQ(TakeMany(pool, &cache, kBatch).size(), taken.size());
  EXPECT_THROW(pool.Take(&cache), std::bad_alloc);
}

TEST(NodePool, ThreadsThatPassNodesOnToEachOtherLoseNone) {
  constexpr int kRounds = 200;
  TestPool& pool = NewPool();
  RunInThreads(4, [&pool](int t) {
    TestPool::Cache taker;
    TestPool::Cache giver;
    for (int round = 0; round < kRounds; ++round) {
      const auto taken = TakeMany(pool, &taker, 37 + 50 * t);
      for (CountedNode* const node : taken) ++node->number;
      for (CountedNode* const node : taken) pool.Give(&giver, node);
    }
    pool.Close(&taker);
    pool.Close(&giver);
  });
  TestPool::Cache cache;
  const int made = pool.num_made();
  const auto taken = TakeMany(pool, &cache, made);
  ExpectDifferent(taken);
  EXPECT_EQ(pool.num_made(), made);
}

}  // namespace
}  // namespace ceres::parallel::detail
