// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops and reductions as tasks: Async(pool, [&] { ParallelFor(...); }).

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class LoopsInTasksTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, LoopsInTasksTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(LoopsInTasksTest, AnAwaitedLoopHasVisitedEveryIndexOnce) {
  std::vector<int> calls(5000, 0);
  Future<Status> by_index = Async(pool(), [&] {
    return ParallelFor(pool(), 0, 5000, [&](int i) { ++calls[i]; });
  });
  EXPECT_EQ(by_index.Get(), Status::kCompleted);
  Future<Status> by_element = Async(pool(), [&] {
    return ParallelFor(pool(), calls, [](int& x) { ++x; }, {3, 10});
  });
  EXPECT_EQ(by_element.Get(), Status::kCompleted);
  Detach(pool(), [&] {
    ParallelForByCost(
        pool(), 0, 5000, [](int i) { return i; }, [&](int i) { ++calls[i]; });
  });
  pool().WaitForAll();
  EXPECT_EQ(calls, std::vector<int>(5000, 3));
}

TEST_P(LoopsInTasksTest, WhatTheTaskCapturesIsItsOwn) {
  std::atomic<int> sum{0};
  std::optional<Future<Status>> loop;
  {
    CancellationSource source;
    LoopOptions options;
    options.token = source.token();
    std::vector<std::unique_ptr<int>> numbers(1000);
    for (std::unique_ptr<int>& x : numbers) x = std::make_unique<int>(3);
    loop = Async(pool(), [this, &sum, options, v = std::move(numbers)] {
      return ParallelFor(
          pool(), v, [&](const std::unique_ptr<int>& x) { sum += *x; },
          options);
    });
  }
  EXPECT_EQ(loop->Get(), Status::kCompleted);
  EXPECT_EQ(sum, 3000);
}

TEST_P(LoopsInTasksTest, ATokenStopsLoopsThatNobodyWaitsForYet) {
  CancellationSource source;
  LoopOptions options;
  options.token = source.token();
  options.schedule = Schedule::kDynamic;
  std::atomic<int> calls{0};
  const auto body = [&calls, token = source.token()](int) {
    ++calls;
    while (!token.IsCancelled()) std::this_thread::yield();
  };
  const std::vector<int> v(1000, 0);
  std::vector<Future<Status>> loops;
  loops.push_back(Async(
      pool(), [&] { return ParallelFor(pool(), 0, 1000, body, options); }));
  loops.push_back(
      Async(pool(), [&] { return ParallelFor(pool(), v, body, options); }));
  loops.push_back(Async(pool(), [&] {
    return ParallelForByCost(
        pool(), 0, 1000, [](int i) { return i; }, body, options);
  }));
  source.Cancel();
  for (Future<Status>& loop : loops) EXPECT_EQ(loop.Get(), Status::kCancelled);
  EXPECT_LT(calls, 1000);
}

TEST_P(LoopsInTasksTest, AStoppedReductionHasNoValue) {
  CancellationSource source;
  source.Cancel();
  LoopOptions options;
  options.token = source.token();
  const std::vector<int> v(1000, 1);
  Future<int> sum =
      Async(pool(), [&] { return ParallelSum(pool(), v, {}, options); });
  EXPECT_THROW(sum.Get(), StoppedByToken);
}

TEST_P(LoopsInTasksTest, ExceptionsReachTheOneWhoWaits) {
  const auto thrower = [](int i) {
    if (i == 70) throw std::runtime_error("70");
    return i;
  };
  Future<Status> loop =
      Async(pool(), [&] { return ParallelFor(pool(), 0, 100, thrower); });
  Future<int> sum = Async(pool(), [&] {
    return ParallelReduce(pool(), 0, 100, 0, thrower, std::plus<>());
  });
  Future<Status> bounds = Async(pool(), [&] {
    return ParallelForByCost(
        pool(), -1, 100u, [](unsigned i) { return i; }, [](unsigned) {});
  });
  EXPECT_THROW(loop.Get(), std::runtime_error);
  EXPECT_THROW(sum.Get(), std::runtime_error);
  EXPECT_THROW(bounds.Get(), std::invalid_argument);
}

TEST_P(LoopsInTasksTest, LoopsAndSumsAwaitedInLoopsEnd) {
  std::atomic<int> calls{0};
  const std::vector<int> v(100, 1);
  ParallelFor(pool(), 0, 10, [&](int) {
    Async(pool(), [&] {
      ParallelFor(pool(), 0, 10, [&](int) {
        calls += Async(pool(), [&] { return ParallelSum(pool(), v); }).Get();
      });
    }).Get();
  });
  EXPECT_EQ(calls, 10000);
}

TEST_P(LoopsInTasksTest, WhatDetachedLoopsThrowGoesToTheHandlerOfThePool) {
  std::mutex mutex;
  std::vector<std::string> messages;
  pool().SetExceptionHandler([&](const std::exception_ptr& error) {
    const std::lock_guard<std::mutex> lock(mutex);
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& exception) {
      messages.push_back(exception.what());
    }
  });
  Detach(pool(), [&] {
    ParallelFor(pool(), 0, 1000, [](int i) {
      if (i == 700) throw std::runtime_error("index");
    });
  });
  Detach(pool(), [&] {
    ParallelForByCost(
        pool(), 0, 1000, [](int) -> int { throw std::logic_error("cost"); },
        [](int) {});
  });
  pool().WaitForAll();
  std::sort(messages.begin(), messages.end());
  EXPECT_EQ(messages, (std::vector<std::string>{"cost", "index"}));
}

TEST(LoopsInTasks, RunInTheThreadThatWaitsOnASerialExecutor) {
  SerialExecutor serial;
  const std::vector<int> v(1000, 2);
  const std::thread::id self = std::this_thread::get_id();
  Future<int> sum = Async(serial, [&] {
    return ParallelSum(serial, v, [self](int x) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      return x;
    });
  });
  EXPECT_EQ(sum.Get(), 2000);
}

}  // namespace
}  // namespace ceres::parallel
