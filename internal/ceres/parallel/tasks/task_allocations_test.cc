// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tests that count the allocations of tasks.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ceres/base/testing/failing_allocations.h"
#include "ceres/parallel/detail/task_node.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_threads.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using testing_internal::NumAllocations;

constexpr int kTasks = 1000;

// The allocations that a pool with workers may make besides, in any state.
// Nodes come from lists of the threads and of the process, which get 64 more
// when they are empty. A thousand tasks at once, and three threads whose lists
// hold 128 nodes at most, need 24 times 64, and the memory for them twice. And
// a worker that was late so far has its thread and its task queue made, some
// ten allocations each. Far from one per task.
constexpr long kGrowth = 50;

// A closure of a pointer and some bytes.
template <std::size_t kSize>
struct Closure {
  static_assert(kSize > sizeof(void*));
  void operator()() const { calls->fetch_add(1, std::memory_order_relaxed); }
  std::atomic<int>* calls;
  std::array<unsigned char, kSize - sizeof(void*)> bytes{};
};
static_assert(sizeof(Closure<64>) == 64 && sizeof(Closure<72>) == 72);

constexpr std::size_t kFutureSize = detail::TaskSet::kStorageSize;
constexpr std::size_t kGroupSize = detail::TaskNode::kCapacity;
// As documented at Async and TaskGroup::Run.
static_assert(kFutureSize == 64 && kGroupSize == 96);

// With that many workers, which all come.
class TaskAllocationsTest : public ::testing::TestWithParam<int> {
 protected:
  TaskAllocationsTest() : pool_(MakeEagerPool(GetParam())) {}

  // Expects that a thousand tasks allocate `each` per task. `run_one` runs or
  // starts a task, and `finish` waits for a thousand. They run three times
  // before the test counts, so that there are nodes, threads and whatever
  // threads need once.
  template <typename RunOne, typename Finish>
  void ExpectAllocations(long each, const RunOne& run_one,
                         const Finish& finish) {
    const auto run = [&] {
      for (int k = 0; k < kTasks; ++k) run_one();
      finish();
    };
    for (int warm_up = 0; warm_up < 3; ++warm_up) run();
    const std::int64_t before = NumAllocations();
    run();
    const std::int64_t allocated = NumAllocations() - before;
    EXPECT_GE(allocated, each * kTasks);
    EXPECT_LE(allocated,
              each * kTasks + (pool().NumWorkers() == 0 ? 0 : kGrowth));
    EXPECT_GT(calls_, 0);
  }

  template <typename RunOne>
  void ExpectAllocations(long each, const RunOne& run_one) {
    ExpectAllocations(each, run_one, [] {});
  }

  template <std::size_t kSize>
  Closure<kSize> Make() {
    return {&calls_};
  }

  ThreadPool& pool() { return *pool_; }

 private:
  const std::unique_ptr<ThreadPool> pool_;
  std::atomic<int> calls_{0};
};
INSTANTIATE_TEST_SUITE_P(Workers, TaskAllocationsTest, ::testing::Values(0, 2));

// Without workers, nothing at all: what the futures leave is what they find.
TEST_P(TaskAllocationsTest, FuturesOfSmallClosuresAllocateNothing) {
  ExpectAllocations(0, [&] { Async(pool(), Make<kFutureSize>()).Get(); });
}

TEST_P(TaskAllocationsTest, FuturesThatAreAwaitedTogetherAllocateNothing) {
  std::vector<Future<void>> futures;
  futures.reserve(kTasks);
  ExpectAllocations(
      0, [&] { futures.push_back(Async(pool(), Make<kFutureSize>())); },
      [&] {
        for (Future<void>& future : futures) future.Get();
        futures.clear();
      });
}

// Eight of the bytes are the name's.
TEST_P(TaskAllocationsTest, FuturesWithOptionsHaveRoomForEightBytesLess) {
  const TaskOptions options = {Priority::kHigh, "task"};
  ExpectAllocations(
      0, [&] { Async(pool(), options, Make<kFutureSize - 8>()).Get(); });
  ExpectAllocations(1,
                    [&] { Async(pool(), options, Make<kFutureSize>()).Get(); });
}

TEST_P(TaskAllocationsTest, GroupsAllocateNothing) {
  ExpectAllocations(0, [&] {
    TaskGroup group(pool());
    group.Run(Make<kGroupSize>());
    group.Wait();
  });
}

TEST_P(TaskAllocationsTest, ALargerClosureOfAFutureIsOneAllocation) {
  ExpectAllocations(1, [&] { Async(pool(), Make<kFutureSize + 8>()).Get(); });
}

TEST_P(TaskAllocationsTest, ALargerClosureOfADetachedTaskIsOneAllocation) {
  const auto finish = [&] { pool().WaitForAll(); };
  ExpectAllocations(
      0, [&] { Detach(pool(), Make<kFutureSize>()); }, finish);
  ExpectAllocations(
      1, [&] { Detach(pool(), Make<kFutureSize + 8>()); }, finish);
}

TEST_P(TaskAllocationsTest, ALargerClosureOfAGroupIsOneAllocation) {
  TaskGroup group(pool());
  const auto finish = [&] { group.Wait(); };
  ExpectAllocations(
      0, [&] { group.Run(Make<kGroupSize>()); }, finish);
  ExpectAllocations(
      1, [&] { group.Run(Make<kGroupSize + 8>()); }, finish);
}

template <std::size_t kResultSize, typename Closure>
auto Returns(const Closure& closure) {
  return [closure] {
    closure();
    return std::array<unsigned char, kResultSize>{};
  };
}

// The result of a future lies in the place of its closure, and what is larger
// on the heap.
TEST_P(TaskAllocationsTest, ALargerResultIsOneAllocationMore) {
  ExpectAllocations(
      0, [&] { Async(pool(), Returns<kFutureSize>(Make<16>())).Get(); });
  ExpectAllocations(
      1, [&] { Async(pool(), Returns<kFutureSize + 1>(Make<16>())).Get(); });
  ExpectAllocations(2, [&] {
    Async(pool(), Returns<kFutureSize + 1>(Make<kFutureSize + 8>())).Get();
  });
}

// A thread that waits asleep is in the way of nobody who needs memory, and a
// wait cannot fail: others may be using the frame of the one that waits.
TEST(WaitAllocationsTest, AWaitThatSleepsAllocatesNothing) {
  for (int round = 0; round < 3; ++round) {
    Hold hold;
    ThreadPool pool(1);
    Future<void> future = Async(pool, [&] { hold.Stay(); });
    hold.AwaitTask();
    const std::int64_t before = NumAllocations();
    EXPECT_FALSE(future.WaitFor(std::chrono::milliseconds(5)));
    EXPECT_EQ(NumAllocations(), before);
    hold.Release();
    future.Get();
  }
}

}  // namespace
}  // namespace ceres::parallel
