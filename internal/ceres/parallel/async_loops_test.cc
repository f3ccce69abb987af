// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/async_loops.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Range = BasicIndexRange<int>;

class AsyncLoopsTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, AsyncLoopsTest, ::testing::ValuesIn(AllPools()),
                         PoolName);

TEST_P(AsyncLoopsTest, AnAwaitedLoopHasVisitedEveryIndexOnce) {
  std::vector<int> calls(5000, 0);
  Future<Status> by_index =
      AsyncFor(pool(), 0, 5000, [&calls](int i) { ++calls[i]; });
  EXPECT_EQ(by_index.get(), Status::kCompleted);
  Future<Status> by_element = AsyncFor(pool(), calls.begin(), calls.end(),
                                       [](int& x) { ++x; }, {3, 10});
  EXPECT_EQ(by_element.get(), Status::kCompleted);
  for (const int count : calls) ASSERT_EQ(count, 2);
}

TEST_P(AsyncLoopsTest, SeveralLoopsAreUnderWayAtOnce) {
  std::vector<std::vector<int>> calls(20, std::vector<int>(1000, 0));
  std::vector<Future<Status>> loops;
  for (std::vector<int>& v : calls) {
    loops.push_back(AsyncFor(pool(), 0, 1000, [&v](int i) { ++v[i]; }));
  }
  for (Future<Status>& loop : loops) loop.get();
  for (const std::vector<int>& v : calls) {
    for (const int count : v) ASSERT_EQ(count, 1);
  }
}

TEST_P(AsyncLoopsTest, TheBodyAndTheTokenAreTheTasksOwn) {
  std::atomic<int> sum{0};
  std::optional<Future<Status>> loop;
  {
    CancellationSource source;
    const CancellationToken token = source.token();
    LoopOptions options;
    options.token = &token;
    auto weight = std::make_unique<int>(3);
    loop = AsyncFor(
        pool(), 0, 1000,
        [weight = std::move(weight), &sum](int) { sum += *weight; }, options);
  }
  EXPECT_EQ(loop->get(), Status::kCompleted);
  EXPECT_EQ(sum, 3000);
}

TEST_P(AsyncLoopsTest, ATokenStopsALoopThatNobodyWaitsForYet) {
  CancellationSource source;
  const CancellationToken token = source.token();
  LoopOptions options;
  options.token = &token;
  Future<Status> loop = AsyncFor(
      pool(), 0, 1000000,
      [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
      options);
  source.Cancel();
  EXPECT_EQ(loop.get(), Status::kCancelled);
}

TEST_P(AsyncLoopsTest, ExceptionsReachTheOneWhoWaits) {
  Future<Status> loop = AsyncFor(pool(), 0, 1000, [](int i) {
    if (i == 700) throw std::runtime_error("700");
  });
  EXPECT_THROW(loop.get(), std::runtime_error);
  const std::vector<int> v(1000, 1);
  Future<int> sum =
      AsyncReduce(pool(), v.begin(), v.end(), 0,
                  [](int, int) -> int { throw std::logic_error("sum"); });
  EXPECT_THROW(sum.get(), std::logic_error);
}

TEST_P(AsyncLoopsTest, ALoopAwaitedInALoopEnds) {
  std::atomic<int> calls{0};
  ParallelFor(pool(), 0, 10, [&](int) {
    AsyncFor(pool(), 0, 10, [&](int) {
      AsyncFor(pool(), 0, 10, [&](int) { ++calls; }).get();
    }).get();
  });
  EXPECT_EQ(calls, 1000);
}

TEST_P(AsyncLoopsTest, ReductionsAreTheBlockingOnes) {
  std::vector<double> v(20000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1.0 / (1.0 + i);
  const auto sum_of = [&v](Range range) {
    double sum = 0.0;
    for (int i = range.begin; i < range.end; ++i) sum += v[i];
    return sum;
  };
  EXPECT_EQ(AsyncReduce(pool(), 0, 20000, 0.0, sum_of, std::plus<>()).get(),
            ParallelReduce(pool(), 0, 20000, 0.0, sum_of, std::plus<>()));
  EXPECT_EQ(AsyncReduce(pool(), v.begin(), v.end(), 0.0, std::plus<>()).get(),
            ParallelReduce(pool(), v.begin(), v.end(), 0.0, std::plus<>()));
}

TEST_P(AsyncLoopsTest, AStoppedReductionHasNoValue) {
  CancellationSource source;
  source.Cancel();
  const CancellationToken token = source.token();
  ReduceOptions options;
  options.token = &token;
  const std::vector<int> v(1000, 1);
  Future<int> sum =
      AsyncReduce(pool(), v.begin(), v.end(), 0, std::plus<>(), options);
  EXPECT_THROW(sum.get(), StoppedByToken);
}

TEST_P(AsyncLoopsTest, ADetachedLoopRunsSomeTime) {
  std::atomic<int> calls{0};
  DetachFor(pool(), 0, 1000, [&calls](int) { ++calls; });
  pool().WaitForAll();
  EXPECT_EQ(calls, 1000);
}

TEST(AsyncLoops, WithoutAHostRunOnTheDefaultPool) {
  std::atomic<int> calls{0};
  AsyncFor(0, 100, [&](int) { ++calls; }).get();
  DetachFor(0, 100, [&](int) { ++calls; });
  EXPECT_TRUE(Eventually([&] {
    ThreadPool::Default().WaitForAll();
    return calls == 200;
  }));
  const std::vector<int> v(100, 2);
  EXPECT_EQ(AsyncReduce(v.begin(), v.end(), 0, std::plus<>()).get(), 200);
}

}  // namespace
}  // namespace ceres::parallel
