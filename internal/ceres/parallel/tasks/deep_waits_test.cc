// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Waits that lie upon each other, more than any stack can hold. A stack that
// overflows ends the process: most of what these tests expect is that they end.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

// Sanitizers make frames larger.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kMany = 20'000;
constexpr int kVeryMany = 20'000;
#else
constexpr int kMany = 60'000;
constexpr int kVeryMany = 1'000'000;
#endif
constexpr std::size_t kSmallStack = 256 << 10;

// Runs in a thread that has a stack of `stack_size` bytes.
void RunInThread(std::size_t stack_size, std::function<void()> f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_size), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* context) -> void* {
                  (*static_cast<std::function<void()>*>(context))();
                  return nullptr;
                },
                &f),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// The first future is the value of f. Each of the others awaits the one before.
template <typename F>
std::vector<Future<int>> MakeChain(ThreadPool& pool, int length, const F& f) {
  std::vector<Future<int>> chain;
  chain.reserve(length);
  chain.push_back(Async(pool, f));
  for (int k = 1; k < length; ++k) {
    chain.push_back(
        Async(pool, [&previous = chain[k - 1]] { return previous.Get() + 1; }));
  }
  return chain;
}

std::vector<Future<int>> MakeChain(ThreadPool& pool, int length) {
  return MakeChain(pool, length, [] { return 0; });
}

class DeepWaits : public ::testing::TestWithParam<int> {
 protected:
  ThreadPool& pool() { return pool_; }

 private:
  ThreadPool pool_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(NumWorkers, DeepWaits, ::testing::Values(0, 1, 3));

TEST_P(DeepWaits, OfAMillionFuturesEachOfWhichAwaitsTheOneBefore) {
  std::vector<Future<int>> chain = MakeChain(pool(), kVeryMany);
  EXPECT_EQ(chain.back().Get(), kVeryMany - 1);
}

// The future that a pool gives to its workers first is awaited last.
TEST_P(DeepWaits, OfAMillionFuturesEachOfWhichAwaitsTheNext) {
  std::vector<Future<int>> chain(kVeryMany);
  std::atomic<bool> are_made{false};
  for (int k = 0; k < kVeryMany; ++k) {
    chain[k] = Async(pool(), [&chain, &are_made, k] {
      if (k + 1 == kVeryMany) return 0;
      while (!are_made) std::this_thread::yield();
      return chain[k + 1].Get() + 1;
    });
  }
  are_made = true;
  EXPECT_EQ(chain.front().Get(), kVeryMany - 1);
}

TEST_P(DeepWaits, FromASmallStack) {
  RunInThread(kSmallStack, [&] {
    std::vector<Future<int>> chain = MakeChain(pool(), kMany);
    EXPECT_EQ(chain.back().Get(), kMany - 1);
  });
}

TEST_P(DeepWaits, WithDeadlines) {
  constexpr auto kLong = std::chrono::hours(1);
  std::vector<Future<int>> chain;
  chain.reserve(kMany);
  chain.push_back(Async(pool(), [] { return 0; }));
  for (int k = 1; k < kMany; ++k) {
    chain.push_back(Async(pool(), [&previous = chain[k - 1], kLong] {
      EXPECT_TRUE(previous.WaitFor(kLong));
      return previous.Get() + 1;
    }));
  }
  EXPECT_EQ(chain.back().Get(), kMany - 1);
}

int AsyncDepth(ThreadPool& pool, int depth) {
  if (depth == 0) return 0;
  return Async(pool, [&] { return AsyncDepth(pool, depth - 1); }).Get() + 1;
}

TEST_P(DeepWaits, OfFuturesThatAreMadeOnTheWay) {
  EXPECT_EQ(AsyncDepth(pool(), kMany), kMany);
}

// The tasks of a group are counted when all groups within have ended.
void NestGroups(ThreadPool& pool, int depth, std::atomic<int>* num_ended) {
  if (depth == 0) return;
  TaskGroup group(pool);
  group.Run([&] { NestGroups(pool, depth - 1, num_ended); });
  group.Run([&] { num_ended->fetch_add(1); });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
}

TEST_P(DeepWaits, OfGroupsInGroups) {
  std::atomic<int> num_ended{0};
  RunInThread(kSmallStack, [&] { NestGroups(pool(), kMany, &num_ended); });
  EXPECT_EQ(num_ended, kMany);
}

void NestGraphs(ThreadPool& pool, int depth, std::atomic<int>* num_ended) {
  if (depth == 0) return;
  TaskGraph graph;
  TaskGraph::Task task =
      graph.Add([&] { NestGraphs(pool, depth - 1, num_ended); });
  graph.Add([&] { num_ended->fetch_add(1); }).Succeed(task);
  EXPECT_EQ(graph.Run(pool), Status::kCompleted);
}

TEST_P(DeepWaits, OfGraphsInGraphs) {
  constexpr int kDepth = kMany / 10;
  std::atomic<int> num_ended{0};
  RunInThread(kSmallStack, [&] { NestGraphs(pool(), kDepth, &num_ended); });
  EXPECT_EQ(num_ended, kDepth);
}

int MixedDepth(ThreadPool& pool, int depth) {
  if (depth == 0) return 0;
  int result = 0;
  ParallelFor(pool, 0, 2, [&](int i) {
    if (i > 0) return;
    TaskGroup group(pool);
    group.Run([&] {
      result = Async(pool, [&] { return MixedDepth(pool, depth - 1); }).Get();
    });
    group.Wait();
  });
  return result + 1;
}

TEST_P(DeepWaits, OfLoopsAndGroupsAndFutures) {
  constexpr int kDepth = kMany / 10;
  RunInThread(kSmallStack,
              [&] { EXPECT_EQ(MixedDepth(pool(), kDepth), kDepth); });
}

// Each runs the next one in the frame of its wait.
TEST_P(DeepWaits, OfTasksThatHelpUntilAllHaveBegun) {
  constexpr int kTasks = kMany / 20;
  std::atomic<int> num_begun{0};
  RunInThread(kSmallStack, [&] {
    for (int k = 0; k < kTasks; ++k) {
      Detach(pool(), [&] {
        num_begun.fetch_add(1);
        HelpUntil(pool(), [&] { return num_begun == kTasks; });
      });
    }
    HelpUntil(pool(), [&] { return num_begun == kTasks; });
  });
  EXPECT_EQ(num_begun, kTasks);
  pool().WaitForAll();
}

// An exception passes through all the stacks.
TEST_P(DeepWaits, PassExceptionsOn) {
  std::vector<Future<int>> chain = MakeChain(
      pool(), kMany / 10, []() -> int { throw std::runtime_error("first"); });
  RunInThread(kSmallStack,
              [&] { EXPECT_THROW(chain.back().Get(), std::runtime_error); });
}

// The threads that wait in place of each other count as one.
TEST(DeepWaitsInOneThread, NoticeATaskThatWaitsForItself) {
  ThreadPool pool(0);
  std::atomic<int> num_errors{0};
  TaskGroup outer(pool);
  std::function<void(int)> nest = [&](int depth) {
    if (depth == 0) {
      EXPECT_THROW(outer.Wait(), std::logic_error);
      num_errors.fetch_add(1);
      return;
    }
    TaskGroup group(pool);
    group.Run([&] { nest(depth - 1); });
    group.Wait();
  };
  RunInThread(kSmallStack, [&] {
    outer.Run([&] { nest(kMany / 10); });
    outer.Wait();
  });
  EXPECT_EQ(num_errors, 1);
}

}  // namespace
}  // namespace ceres::parallel
