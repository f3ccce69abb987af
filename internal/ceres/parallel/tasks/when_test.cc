// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/when.h"

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/promise.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Ints = std::vector<Future<int>>;

class WhenTest : public ForEachPool {
 protected:
  // Futures of 0, 1, ..., n - 1.
  Ints Numbers(int n) {
    Ints futures;
    for (int k = 0; k < n; ++k) {
      futures.push_back(Async(pool(), [k] { return k; }));
    }
    return futures;
  }
};
INSTANTIATE_TEST_SUITE_P(Pools, WhenTest, ::testing::ValuesIn(AllPools()),
                         PoolName);

int SumOf(Ints futures) {
  int sum = 0;
  for (Future<int>& future : futures) {
    EXPECT_TRUE(future.IsReady());
    sum += future.Get();
  }
  return sum;
}

TEST_P(WhenTest, AllGivesFuturesThatHaveEnded) {
  for (const int n : {0, 1, 2, 10, 300}) {
    Ints futures = Numbers(n);
    Future<Ints> all = WhenAll(std::move(futures));
    EXPECT_EQ(SumOf(all.Get()), n * (n - 1) / 2);
  }
}

TEST_P(WhenTest, AllTakesFuturesOfDifferentTypes) {
  int n = 0;
  auto [number, text, nothing, reference, large] =
      WhenAll(Async(pool(), [] { return 1; }),
              Async(pool(), [] { return std::string("text"); }),
              Async(pool(), [] {}), Async(pool(), [&n]() -> int& { return n; }),
              Async(pool(), [] { return std::array<int, 100>{7}; }))
          .Get();
  EXPECT_EQ(number.Get(), 1);
  EXPECT_EQ(text.Get(), "text");
  nothing.Get();
  EXPECT_EQ(&reference.Get(), &n);
  EXPECT_EQ(large.Get()[0], 7);
  // More than a future holds in place.
  const auto one = [this] { return Async(pool(), [] { return 1; }); };
  auto many = WhenAll(one(), one(), one(), one(), one(), one(), one(), one(),
                      one(), one())
                  .Get();
  EXPECT_EQ(std::get<9>(many).Get(), 1);
}

TEST_P(WhenTest, EachFutureKeepsItsException) {
  Ints futures = Numbers(3);
  futures.push_back(
      Async(pool(), []() -> int { throw std::runtime_error("task"); }));
  futures.push_back(Async(pool(), [] { return 1; }));
  const bool cancelled = futures.back().Cancel();
  Ints ended = WhenAll(std::move(futures)).Get();
  EXPECT_EQ(ended[2].Get(), 2);
  EXPECT_THROW(ended[3].Get(), std::runtime_error);
  if (cancelled) {
    EXPECT_THROW(ended[4].Get(), TaskCancelled);
  }
}

TEST_P(WhenTest, AnyGivesAFutureThatHasEnded) {
  for (const int n : {1, 2, 10, 100}) {
    auto any = WhenAny(Numbers(n)).Get();
    ASSERT_LT(any.index, any.futures.size());
    EXPECT_TRUE(any.futures[any.index].IsReady());
    for (int k = 0; k < n; ++k) EXPECT_EQ(any.futures[k].Get(), k);
  }
}

TEST_P(WhenTest, AnyDoesNotWaitForTheOthers) {
  Promise<int> slow(pool());
  auto any =
      WhenAny(slow.GetFuture(), Async(pool(), [] { return std::string("b"); }))
          .Get();
  EXPECT_EQ(any.index, 1u);
  EXPECT_EQ(std::get<1>(any.futures).Get(), "b");
  EXPECT_FALSE(std::get<0>(any.futures).IsReady());
  slow.SetValue(3);
  EXPECT_EQ(std::get<0>(any.futures).Get(), 3);
  EXPECT_EQ(
      WhenAny(MakeReadyFuture(pool(), 1), Promise<int>(pool()).GetFuture())
          .Get()
          .index,
      0u);
  EXPECT_THROW(static_cast<void>(WhenAny(Ints())), std::invalid_argument);
}

TEST_P(WhenTest, ContinuationsRunWithoutAWait) {
  std::atomic<int> sum{0};
  {
    const Future<void> dropped =
        WhenAll(Numbers(20)).Then([&sum](Ints futures) {
          sum += SumOf(std::move(futures));
        });
    const Future<void> other =
        WhenAny(Numbers(5)).Then([&sum](WhenAnyResult<Ints> any) {
          sum += any.futures[any.index].IsReady() ? 1000 : 0;
        });
  }
  pool().WaitForAll();
  EXPECT_EQ(sum, 1190);
  Future<int> awaited = WhenAll(Numbers(20)).Then([](Ints futures) {
    return SumOf(std::move(futures));
  });
  EXPECT_EQ(awaited.Get(), 190);
}

TEST_P(WhenTest, NestsToAnyShape) {
  Future<Ints> left = WhenAll(Numbers(3));
  Future<WhenAnyResult<Ints>> right = WhenAny(Numbers(3));
  auto [all, any] = WhenAll(std::move(left), std::move(right)).Get();
  EXPECT_TRUE(all.IsReady());
  EXPECT_EQ(SumOf(all.Get()), 3);
  EXPECT_TRUE(any.IsReady());
  Future<int> sum = Async(pool(), [this] {
    std::atomic<int> total{0};
    ParallelFor(pool(), 0, 20,
                [&](int) { total += SumOf(WhenAll(Numbers(5)).Get()); });
    return total.load();
  });
  EXPECT_EQ(sum.Get(), 200);
}

TEST_P(WhenTest, TimedWaitsEnd) {
  Promise<int> promise(pool());
  Ints futures = Numbers(3);
  futures.push_back(promise.GetFuture());
  Future<Ints> all = WhenAll(std::move(futures));
  for (int k = 0; k < 3; ++k) EXPECT_FALSE(all.WaitFor(microseconds(100)));
  Promise<int> other(pool());
  Future<WhenAnyResult<Ints>> any = [&] {
    Ints one;
    one.push_back(other.GetFuture());
    return WhenAny(std::move(one));
  }();
  EXPECT_FALSE(any.WaitFor(milliseconds(1)));
  std::thread setter([&] {
    promise.SetValue(10);
    other.SetValue(1);
  });
  EXPECT_TRUE(all.WaitFor(std::chrono::hours(1)));
  EXPECT_TRUE(any.WaitFor(std::chrono::hours(1)));
  setter.join();
  EXPECT_EQ(SumOf(all.Get()), 13);
}

TEST_P(WhenTest, CancelDropsTheFuturesAndDestroysTheirResults) {
  const auto value = std::make_shared<int>(1);
  std::vector<Future<std::shared_ptr<int>>> futures;
  for (int k = 0; k < 5; ++k) {
    futures.push_back(Async(pool(), [value] { return value; }));
  }
  Promise<std::shared_ptr<int>> never(pool());
  futures.push_back(never.GetFuture());
  auto all = WhenAll(std::move(futures));
  EXPECT_TRUE(all.Cancel());
  EXPECT_FALSE(all.Cancel());
  EXPECT_TRUE(all.IsReady());
  EXPECT_THROW(all.Get(), TaskCancelled);
  never.SetValue(nullptr);
  pool().WaitForAll();
  EXPECT_EQ(value.use_count(), 1);
}

TEST_P(WhenTest, RefusesFuturesThatAreNotValid) {
  Ints futures = Numbers(2);
  futures.emplace_back();
  EXPECT_THROW(static_cast<void>(WhenAll(std::move(futures))),
               std::future_error);
  ASSERT_EQ(futures.size(), 3u);
  EXPECT_EQ(futures[1].Get(), 1);
  EXPECT_THROW(static_cast<void>(WhenAny(std::move(futures))),
               std::future_error);
  EXPECT_EQ(futures[0].Get(), 0);
}

// A lock may be held across the wait, as across Future::Get: no task that
// nobody waits for is run.
TEST_P(WhenTest, WaitsRunOnlyWhatTheyWaitFor) {
  std::mutex mutex;
  for (int round = 0; round < 20; ++round) {
    Detach(pool(), [&mutex] { const std::lock_guard<std::mutex> lock(mutex); });
    Ints futures = Numbers(4);
    Detach(pool(), [&mutex] { const std::lock_guard<std::mutex> lock(mutex); });
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_EQ(SumOf(WhenAll(std::move(futures)).Get()), 6);
    auto any = WhenAny(Numbers(2)).Get();
    EXPECT_TRUE(any.futures[any.index].IsReady());
  }
  pool().WaitForAll();
}

TEST(When, MakesProgressOnAnyExecutor) {
  SerialExecutor serial;
  RefusingHost refusing;
  KeepingHost keeping;
  InlineHost within;
  QueueHost queue(microseconds(10));
  for (Executor* const host : std::initializer_list<Executor*>{
           &serial, &refusing, &keeping, &within, &queue}) {
    const auto numbers = [host](int n) {
      Ints futures;
      for (int k = 0; k < n; ++k) {
        futures.push_back(Async(*host, [k] { return k; }));
      }
      return futures;
    };
    EXPECT_EQ(SumOf(WhenAll(numbers(10)).Get()), 45);
    auto any = WhenAny(numbers(4)).Get();
    EXPECT_TRUE(any.futures[any.index].IsReady());
    Future<int> next = WhenAll(numbers(10)).Then([](Ints futures) {
      return SumOf(std::move(futures));
    });
    EXPECT_EQ(next.Get(), 45);
  }
}

TEST(When, RunsRefusedTasksWhenItIsDropped) {
  SerialExecutor serial;
  ThreadPool pool(1);
  int runs = 0;
  {
    Ints futures;
    for (int k = 0; k < 5; ++k) {
      futures.push_back(Async(serial, [&runs] { return ++runs; }));
    }
    const Future<Ints> dropped = WhenAll(std::move(futures));
  }
  EXPECT_EQ(runs, 5);
  {
    const Future<void> dropped =
        WhenAll(Async(pool, [] {}), Async(serial, [&runs] { return ++runs; }))
            .Then([&runs](std::tuple<Future<void>, Future<int>>) { ++runs; });
  }
  EXPECT_GE(runs, 6);
  pool.WaitForAll();
  EXPECT_EQ(runs, 7);
  {
    Ints futures;
    for (int k = 0; k < 5; ++k) {
      futures.push_back(Async(serial, [&runs] { return ++runs; }));
    }
    const Future<WhenAnyResult<Ints>> dropped = WhenAny(std::move(futures));
  }
  EXPECT_EQ(runs, 12);
}

// Waits, timed waits, cancels, drops, continuations and ends of the pool.
TEST(When, RandomUseFromSeveralThreads) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    auto pool = MakeEagerPool(static_cast<int>(random() % 4));
    QueueHost queue(microseconds(0));
    std::vector<Promise<int>> promises;
    std::atomic<int> ran{0};
    const auto make = [&](int k) -> Future<int> {
      switch (random() % 5) {
        case 0:
          promises.emplace_back(*pool);
          return promises.back().GetFuture();
        case 1:
          return MakeReadyFuture(*pool, k);
        case 2:
          return Async(queue, [k] { return k; });
        case 3:
          return Async(*pool, [k] { return k; }).Then([](int x) { return x; });
        default:
          return Async(*pool, [k] { return k; });
      }
    };
    const auto make_some = [&] {
      Ints futures;
      const int n = 1 + static_cast<int>(random() % 6);
      for (int k = 0; k < n; ++k) futures.push_back(make(k));
      return futures;
    };
    std::vector<Future<Ints>> all;
    std::vector<Future<Ints>> any;
    for (int k = 0; k < 4; ++k) {
      all.push_back(WhenAll(make_some()));
      any.push_back(WhenAny(make_some()).Then([](WhenAnyResult<Ints> result) {
        EXPECT_TRUE(result.futures[result.index].IsReady());
        return std::move(result.futures);
      }));
    }
    std::thread setter([&] {
      for (Promise<int>& promise : promises) promise.SetValue(0);
    });
    const auto use = [&ran](std::vector<Future<Ints>>& futures, unsigned s) {
      std::mt19937 mine(s);
      for (Future<Ints>& future : futures) {
        if (mine() % 4 == 0) future.WaitFor(microseconds(mine() % 50));
        if (mine() % 6 == 0) future.Cancel();
        if (mine() % 6 == 0) {
          future = {};
          continue;
        }
        if (mine() % 3 == 0) {
          future = future.Then([](Ints inner) { return inner; });
        }
        try {
          for (Future<int>& one : future.Get()) ran += one.Get() >= 0 ? 1 : 0;
        } catch (const TaskCancelled&) {
        }
      }
    };
    std::thread other([&] { use(all, seed + 1); });
    use(any, seed + 2);
    other.join();
    setter.join();
    promises.clear();
    if (seed % 2 == 0) pool->WaitForAll();
    pool.reset();
  }
}

}  // namespace
}  // namespace ceres::parallel
