// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/promise.h"

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/this_thread.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// What an expression throws as a std::future_error.
template <typename F>
std::optional<std::error_code> CodeOf(const F& f) {
  try {
    f();
  } catch (const std::future_error& error) {
    return error.code();
  }
  return std::nullopt;
}
std::error_code Code(std::future_errc code) {
  return std::make_error_code(code);
}

class PromiseTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, PromiseTest, ::testing::ValuesIn(AllPools()),
                         PoolName);

TEST_P(PromiseTest, GivesWhatWasSet) {
  Promise<int> before(pool());
  before.SetValue(3);
  EXPECT_EQ(before.GetFuture().Get(), 3);

  Promise<std::string> after(pool());
  Future<std::string> text = after.GetFuture();
  EXPECT_FALSE(text.IsReady());
  after.SetValue(3, 'x');
  EXPECT_TRUE(text.IsReady());
  EXPECT_EQ(text.Get(), "xxx");

  Promise<void> nothing(pool());
  Future<void> done = nothing.GetFuture();
  nothing.SetValue();
  done.Get();

  int n = 0;
  Promise<int&> reference(pool());
  reference.SetValue(n);
  EXPECT_EQ(&reference.GetFuture().Get(), &n);

  Promise<std::array<double, 100>> large(pool());
  Future<std::array<double, 100>> numbers = large.GetFuture();
  large.SetValue(std::array<double, 100>{1.0, 2.0});
  EXPECT_EQ(numbers.Get()[1], 2.0);

  Promise<std::unique_ptr<int>> owned(pool());
  owned.SetValue(std::make_unique<int>(5));
  EXPECT_EQ(*owned.GetFuture().Get(), 5);
}

TEST_P(PromiseTest, RethrowsTheExceptionThatWasSet) {
  Promise<int> promise(pool());
  Future<int> future = promise.GetFuture();
  promise.SetException(std::make_exception_ptr(std::out_of_range("set")));
  EXPECT_THROW(future.Get(), std::out_of_range);
}

TEST_P(PromiseTest, IsBrokenIfItIsDestroyedWithoutAResult) {
  Future<int> future;
  Future<int> next;
  {
    Promise<int> promise(pool());
    future = promise.GetFuture();
    Promise<int> other(pool());
    next = other.GetFuture().Then([](int) -> int {
      ADD_FAILURE();
      return 0;
    });
    promise = Promise<int>(pool());
    EXPECT_TRUE(future.IsReady());
  }
  EXPECT_EQ(CodeOf([&] { future.Get(); }),
            Code(std::future_errc::broken_promise));
  EXPECT_EQ(CodeOf([&] { next.Get(); }),
            Code(std::future_errc::broken_promise));
}

TEST_P(PromiseTest, NamesMisuse) {
  Promise<int> promise(pool());
  Future<int> future = promise.GetFuture();
  EXPECT_EQ(CodeOf([&] { static_cast<void>(promise.GetFuture()); }),
            Code(std::future_errc::future_already_retrieved));
  promise.SetValue(1);
  EXPECT_EQ(CodeOf([&] { promise.SetValue(2); }),
            Code(std::future_errc::promise_already_satisfied));
  EXPECT_EQ(CodeOf([&] { promise.SetException(nullptr); }),
            Code(std::future_errc::promise_already_satisfied));
  EXPECT_EQ(future.Get(), 1);
  Promise<int> moved(pool());
  const Promise<int> taken = std::move(moved);
  EXPECT_EQ(CodeOf([&] { moved.SetValue(2); }),
            Code(std::future_errc::no_state));
  EXPECT_EQ(CodeOf([&] { static_cast<void>(moved.GetFuture()); }),
            Code(std::future_errc::no_state));
}

struct ThrowsOnce {
  explicit ThrowsOnce(bool throws) {
    if (throws) throw std::runtime_error("constructor");
  }
};

TEST_P(PromiseTest, StaysUnsetIfTheValueCannotBeMade) {
  Promise<ThrowsOnce> promise(pool());
  Future<ThrowsOnce> future = promise.GetFuture();
  EXPECT_THROW(promise.SetValue(true), std::runtime_error);
  EXPECT_FALSE(future.IsReady());
  promise.SetValue(false);
  future.Get();
}

TEST_P(PromiseTest, RunsContinuationsOnItsHost) {
  Promise<int> promise(pool());
  Future<bool> in_pool =
      promise.GetFuture().Then([](int x) { return x + 1; }).Then([&](int x) {
        EXPECT_EQ(x, 8);
        return this_thread::Pool() == &pool();
      });
  std::thread setter([&promise] { promise.SetValue(7); });
  EXPECT_TRUE(in_pool.Get());
  setter.join();
}

TEST_P(PromiseTest, RunsContinuationsThatNobodyAwaits) {
  std::atomic<int> sum{0};
  {
    Promise<int> promise(pool());
    {
      const Future<void> dropped =
          promise.GetFuture().Then([&sum](int x) { sum += x; });
    }
    promise.SetValue(5);
  }
  pool().WaitForAll();
  EXPECT_EQ(sum, 5);
}

TEST_P(PromiseTest, IsToldThatNobodyWantsItsValue) {
  Promise<std::shared_ptr<int>> dropped(pool());
  const auto value = std::make_shared<int>(1);
  EXPECT_FALSE(dropped.IsCancelled());
  { const Future<std::shared_ptr<int>> future = dropped.GetFuture(); }
  EXPECT_TRUE(dropped.IsCancelled());
  dropped.SetValue(value);
  EXPECT_EQ(value.use_count(), 1);

  Promise<std::shared_ptr<int>> cancelled(pool());
  Future<std::shared_ptr<int>> future = cancelled.GetFuture();
  EXPECT_TRUE(future.Cancel());
  EXPECT_FALSE(future.Cancel());
  EXPECT_TRUE(cancelled.IsCancelled());
  EXPECT_FALSE(future.IsReady());
  cancelled.SetValue(value);
  EXPECT_EQ(value.use_count(), 1);
  EXPECT_THROW(future.Get(), TaskCancelled);

  Promise<int> late(pool());
  Future<int> set = late.GetFuture();
  late.SetValue(3);
  EXPECT_FALSE(set.Cancel());
  EXPECT_EQ(set.Get(), 3);
}

TEST_P(PromiseTest, ATimedWaitReturns) {
  Promise<int> promise(pool());
  Future<int> future = promise.GetFuture();
  EXPECT_FALSE(future.WaitFor(milliseconds(0)));
  EXPECT_FALSE(future.WaitFor(milliseconds(2)));
  Future<int> next = future.Then([](int x) { return x; });
  EXPECT_FALSE(next.WaitFor(milliseconds(2)));
  promise.SetValue(1);
  EXPECT_TRUE(next.WaitFor(std::chrono::hours(1)));
}

// The task that sets the promise is queued behind the one that waits.
TEST_P(PromiseTest, AThreadThatWaitsRunsTheTaskThatSetsIt) {
  Promise<int> promise(pool());
  Future<int> value = promise.GetFuture();
  Future<int> waits = Async(pool(), [&value] { return value.Get(); });
  Future<void> sets = Async(pool(), [&promise] { promise.SetValue(4); });
  EXPECT_EQ(waits.Get(), 4);
  sets.Get();
}

// Each task makes the next one and awaits the promise that the next one sets.
// So a task depends on later tasks only. Tasks that wait for each other's
// promises in any order may hang: one may lie below another in a stack.
TEST_P(PromiseTest, AThreadThatWaitsRunsAChainOfTasksThatSetPromises) {
  TaskGroup group(pool());
  std::function<int(int)> value_of_next = [&](int length) {
    if (length == 0) return 0;
    auto promise = std::make_shared<Promise<int>>(pool());
    Future<int> value = promise->GetFuture();
    group.Run([&, promise, length] {
      promise->SetValue(value_of_next(length - 1) + 1);
    });
    return value.Get();
  };
  EXPECT_EQ(value_of_next(30), 30);
  group.Wait();
}

TEST_P(PromiseTest, AFutureThatIsReadyNeedsNoTask) {
  Future<std::string> text = MakeReadyFuture(pool(), std::string("ready"));
  EXPECT_TRUE(text.IsReady());
  EXPECT_FALSE(text.Cancel());
  EXPECT_EQ(std::move(text).Then([](std::string s) { return s.size(); }).Get(),
            5u);
  MakeReadyFuture(pool()).Get();
  EXPECT_EQ(MakeReadyFuture(7).Get(), 7);
  MakeReadyFuture().Get();
  { const Future<int> dropped = MakeReadyFuture(pool(), 1); }
}

TEST(Promise, OnAnExecutorRunsContinuationsInTheThreadThatSets) {
  SerialExecutor serial;
  RefusingHost refusing;
  KeepingHost keeping;
  InlineHost within;
  for (Executor* const host : std::initializer_list<Executor*>{
           &serial, &refusing, &keeping, &within}) {
    Promise<int> promise(*host);
    std::thread::id ran_in;
    Future<int> last = promise.GetFuture().Then([&ran_in](int x) {
      ran_in = std::this_thread::get_id();
      return x + 1;
    });
    EXPECT_FALSE(last.WaitFor(milliseconds(1)));
    std::thread setter([&promise] { promise.SetValue(2); });
    const std::thread::id setter_id = setter.get_id();
    EXPECT_EQ(last.Get(), 3);
    setter.join();
    EXPECT_EQ(ran_in, setter_id);
  }
}

// ThreadSanitizer keeps 0.4 MB for each level.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kLength = 2000;
#else
constexpr int kLength = 20000;
#endif

// A continuation that sets the next promise, in a frame above its own.
TEST(Promise, OnAnExecutorSetsOthersToAnyDepth) {
  SerialExecutor serial;
  std::vector<Promise<int>> promises;
  promises.reserve(kLength + 1);
  for (int k = 0; k <= kLength; ++k) promises.emplace_back(serial);
  std::vector<Future<void>> links;
  for (int k = 0; k < kLength; ++k) {
    links.push_back(promises[k].GetFuture().Then(
        [&promises, k](int x) { promises[k + 1].SetValue(x + 1); }));
  }
  promises[0].SetValue(0);
  EXPECT_EQ(promises[kLength].GetFuture().Get(), kLength);
}

TEST(Promise, ItsPoolMayEndAsSoonAsTheResultIsThere) {
  for (int round = 0; round < 200; ++round) {
    auto pool = std::make_unique<ThreadPool>(1);
    auto promise = std::make_unique<Promise<int>>(*pool);
    Future<int> future = promise->GetFuture();
    Future<int> next;
    if (round % 2 == 0) {
      next = future.Then([](int x) { return x; });
    } else {
      next = std::move(future);
    }
    std::thread setter([&] { promise->SetValue(1); });
    EXPECT_EQ(next.Get(), 1);
    pool.reset();
    setter.join();
  }
}

// Threads that set, drop, wait, cancel, continue and drop futures, all at once.
TEST(Promise, RandomUseFromSeveralThreads) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto pool = MakeEagerPool(static_cast<int>(random() % 4));
    QueueHost queue(microseconds(0));
    constexpr int kPromises = 8;
    std::vector<Promise<int>> promises;
    std::vector<Future<int>> futures;
    for (int k = 0; k < kPromises; ++k) {
      if (random() % 4 == 0) {
        promises.emplace_back(queue);
      } else {
        promises.emplace_back(*pool);
      }
      futures.push_back(promises.back().GetFuture());
      if (random() % 2 == 0) {
        futures.back() = futures.back().Then([](int x) { return x; });
      }
    }
    std::atomic<int> num_ends{0};
    std::thread setter([&, mine = std::mt19937(seed + 1)]() mutable {
      for (int k = 0; k < kPromises; ++k) {
        switch (mine() % 4) {
          case 0: {
            const Promise<int> broken = std::move(promises[k]);
            break;
          }
          case 1:
            promises[k].SetException(
                std::make_exception_ptr(std::runtime_error("set")));
            break;
          default:
            promises[k].SetValue(k);
        }
      }
    });
    std::thread user([&, mine = std::mt19937(seed + 2)]() mutable {
      for (int k = 0; k < kPromises; ++k) {
        const bool cancelled = mine() % 4 == 0 && futures[k].Cancel();
        if (mine() % 4 == 0) {
          futures[k] = {};
          ++num_ends;
          continue;
        }
        if (mine() % 2 == 0) futures[k].WaitFor(microseconds(mine() % 50));
        if (mine() % 3 == 0) {
          futures[k] = futures[k].Then([](int x) { return x; });
        }
        try {
          EXPECT_EQ(futures[k].Get(), k);
          EXPECT_FALSE(cancelled);
        } catch (const TaskCancelled&) {
          EXPECT_TRUE(cancelled);
        } catch (const std::future_error&) {
        } catch (const std::runtime_error&) {
        }
        ++num_ends;
      }
    });
    setter.join();
    user.join();
    EXPECT_EQ(num_ends, kPromises);
  }
}

}  // namespace
}  // namespace ceres::parallel
