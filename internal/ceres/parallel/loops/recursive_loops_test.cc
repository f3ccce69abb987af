// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops within loops at one place in the source, and the depth by which their
// measurements are kept.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

// The sum of the numbers of the leaves of a tree: num, ..., num + size - 1.
template <typename Host>
std::int64_t SumOfTree(Host& host, std::int64_t num, std::int64_t size,
                       int fan_out) {
  if (size == 1) return num;
  std::vector<std::int64_t> parts(fan_out);
  ParallelFor(host, 0, fan_out, [&](int i) {
    parts[i] =
        SumOfTree(host, num + i * (size / fan_out), size / fan_out, fan_out);
  });
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

std::int64_t SumBelow(std::int64_t n) { return n * (n - 1) / 2; }

TEST(RecursiveLoops, AreRightForAnyFanOutAndNumberOfWorkers) {
  for (const int workers : {0, 1, 3, 7}) {
    ThreadPool pool(workers);
    pool.SetRunningLimit(workers + 1);
    for (int run = 0; run < 5; ++run) {
      EXPECT_EQ(SumOfTree(pool, 0, 10000, 10), SumBelow(10000));
      EXPECT_EQ(SumOfTree(pool, 0, 1 << 13, 2), SumBelow(1 << 13));
      EXPECT_EQ(SumOfTree(pool, 0, 4096, 64), SumBelow(4096));
    }
  }
  QueueHost host(std::chrono::microseconds(0));
  EXPECT_EQ(SumOfTree(host, 0, 10000, 10), SumBelow(10000));
}

// Solutions of the puzzle of n queens, by backtracking.
std::int64_t CountQueens(ThreadPool& pool, int n, std::vector<int> columns) {
  const int row = static_cast<int>(columns.size());
  if (row == n) return 1;
  const auto is_free = [&](int column) {
    for (int k = 0; k < row; ++k) {
      const int distance = columns[k] - column;
      if (distance == 0 || std::abs(distance) == row - k) return false;
    }
    return true;
  };
  return ParallelReduce(
      pool, 0, n, std::int64_t{0},
      [&](int column) -> std::int64_t {
        if (!is_free(column)) return 0;
        std::vector<int> more = columns;
        more.push_back(column);
        return CountQueens(pool, n, std::move(more));
      },
      std::plus<>());
}

TEST(RecursiveLoops, CountQueensByReductions) {
  for (const int workers : {0, 1, 3, 7}) {
    ThreadPool pool(workers);
    pool.SetRunningLimit(workers + 1);
    EXPECT_EQ(CountQueens(pool, 8, {}), 92);
    EXPECT_EQ(CountQueens(pool, 6, {}), 4);
  }
}

// Deeper than the depths that are told apart.
int DeepestLoop(ThreadPool& pool, int depth) {
  if (depth == 0) return detail::loop_depth;
  std::atomic<int> deepest{0};
  ParallelFor(pool, 0, 2, [&](int i) {
    if (i == 0) deepest = DeepestLoop(pool, depth - 1);
  });
  return deepest;
}

TEST(LoopDepth, HasALimit) {
  for (const int workers : {1, 3}) {
    ThreadPool pool(workers);
    EXPECT_EQ(DeepestLoop(pool, 5 * detail::kNumLoopDepths),
              detail::kNumLoopDepths - 1);
    EXPECT_EQ(detail::loop_depth, 0);
  }
}

// The depths that all threads see in loops of `levels` levels.
template <typename Host>
std::set<int> DepthsWithin(Host& host, int levels) {
  std::mutex mutex;
  std::set<int> depths;
  std::function<void(int)> run = [&](int level) {
    ParallelFor(host, 0, 8, [&, level](int) {
      if (level + 1 < levels) {
        run(level + 1);
        return;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      const std::lock_guard<std::mutex> lock(mutex);
      depths.insert(detail::loop_depth);
    });
  };
  run(0);
  return depths;
}

TEST(LoopDepth, IsTheSameForAllThreadsOfALoop) {
  for (const int workers : {1, 3, 7}) {
    ThreadPool pool(workers);
    pool.SetRunningLimit(workers + 1);
    pool.SetSharing(Sharing::kAlways);
    for (int levels = 1; levels <= 3; ++levels) {
      EXPECT_EQ(DepthsWithin(pool, levels), std::set<int>{levels});
    }
  }
  QueueHost host(std::chrono::microseconds(0));
  EXPECT_EQ(DepthsWithin(host, 2), std::set<int>{2});
  SerialExecutor caller;
  EXPECT_EQ(DepthsWithin(caller, 2), std::set<int>{2});
}

TEST(LoopDepth, CountsLoopsOfAllSchedulesOnce) {
  ThreadPool pool(3);
  pool.SetRunningLimit(4);
  QueueHost host(std::chrono::microseconds(0));
  for (const Schedule schedule :
       {Schedule::kAdaptive, Schedule::kStatic, Schedule::kDynamic}) {
    const LoopOptions options{0, 1, schedule};
    const auto expect_one = [&](int) { EXPECT_EQ(detail::loop_depth, 1); };
    for (int run = 0; run < 3; ++run) {
      ParallelFor(pool, 0, 100, expect_one, options);
      ParallelFor(host, 0, 100, expect_one, options);
    }
  }
}

TEST(LoopDepth, IsKeptByForks) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  pool.SetSharing(Sharing::kAlways);
  ParallelFor(pool, 0, 20, [&](int) {
    const auto expect_one = [] {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      EXPECT_EQ(detail::loop_depth, 1);
    };
    ParallelInvoke(pool, expect_one, expect_one);
  });
}

TEST(LoopDepth, IsRestoredByExceptions) {
  for (const int workers : {0, 3}) {
    ThreadPool pool(workers);
    pool.SetRunningLimit(workers + 1);
    for (int run = 0; run < 50; ++run) {
      EXPECT_THROW(ParallelFor(pool, 0, 8,
                               [&](int i) {
                                 std::this_thread::sleep_for(
                                     std::chrono::microseconds(20));
                                 if (i == 3) throw std::runtime_error("three");
                               }),
                   std::runtime_error);
      EXPECT_EQ(detail::loop_depth, 0);
      Async(pool, [] { EXPECT_EQ(detail::loop_depth, 0); }).Get();
    }
  }
}

}  // namespace
}  // namespace ceres::parallel
