// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/future.h"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parking/searcher.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/tasks/thread_queues.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/short_sleep.h"
#include "ceres/parallel/testing/test_threads.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FutureOnEveryPool : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, FutureOnEveryPool,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(FutureOnEveryPool, GetReturnsTheValue) {
  Future<int> sum = Async(
      pool(), [](int a, int b) { return a + b; }, 1, 2);
  EXPECT_TRUE(sum.IsValid());
  EXPECT_EQ(sum.Get(), 3);
  EXPECT_FALSE(sum.IsValid());
}

TEST_P(FutureOnEveryPool, ManyTasksEachRunOnce) {
  std::vector<std::atomic<int>> calls(2000);
  std::vector<Future<int>> futures;
  futures.reserve(2000);
  for (int i = 0; i < 2000; ++i) {
    futures.push_back(Async(pool(), [&calls, i] {
      calls[i].fetch_add(1);
      return i;
    }));
  }
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(futures[i].Get(), i);
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST_P(FutureOnEveryPool, TheFirstSpawnedMayBeAwaitedLast) {
  std::vector<Future<int>> futures;
  futures.reserve(100);
  for (int i = 0; i < 100; ++i) {
    futures.push_back(Async(pool(), [i] { return i; }));
  }
  for (int i = 99; i >= 0; --i) EXPECT_EQ(futures[i].Get(), i);
}

int Fibonacci(ThreadPool& pool, int n) {
  if (n < 2) return n;
  Future<int> first =
      Async(pool, [&pool, n] { return Fibonacci(pool, n - 1); });
  const int second = Fibonacci(pool, n - 2);
  return first.Get() + second;
}

TEST_P(FutureOnEveryPool, RecursionByFutures) {
  EXPECT_EQ(Fibonacci(pool(), 18), 2584);
}

TEST_P(FutureOnEveryPool, ExceptionsReachTheWaiter) {
  Future<int> future =
      Async(pool(), []() -> int { throw std::runtime_error("task"); });
  EXPECT_THAT([&] { future.Get(); },
              ::testing::ThrowsMessage<std::runtime_error>("task"));
  EXPECT_FALSE(future.IsValid());
}

TEST_P(FutureOnEveryPool, LoopsAndForksRunWithinTasks) {
  std::vector<Future<std::int64_t>> futures;
  futures.reserve(8);
  for (int k = 0; k < 8; ++k) {
    futures.push_back(Async(pool(), [this] {
      std::atomic<std::int64_t> sum{0};
      ParallelFor(pool(), 0, 1000,
                  [&](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
      std::int64_t a = 0, b = 0;
      ParallelInvoke(
          pool(), [&] { a = 1; }, [&] { b = 2; });
      return sum.load() + a + b;
    }));
  }
  for (auto& future : futures) EXPECT_EQ(future.Get(), 499503);
}

TEST_P(FutureOnEveryPool, TasksWithinLoopsAreAwaitedThere) {
  std::vector<int> results(200);
  ParallelFor(pool(), 0, 200, [&](int i) {
    results[i] = Async(pool(), [i] { return 2 * i; }).Get();
  });
  for (int i = 0; i < 200; ++i) EXPECT_EQ(results[i], 2 * i);
}

TEST_P(FutureOnEveryPool, ADroppedFutureLeavesItsTaskAlone) {
  std::atomic<int> runs{0};
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(Async(pool(), [&runs, i]() -> std::string {
      runs.fetch_add(1);
      if (i % 3 == 0) throw std::runtime_error("dropped");
      return std::string(100, 'x');
    }));
  }
  pool().WaitForAll();
  EXPECT_EQ(runs, 100);
}

TEST_P(FutureOnEveryPool, MayBePassedToAnotherThread) {
  Future<int> future = Async(pool(), [] { return 7; });
  int result = 0;
  std::thread([&result](Future<int> mine) { result = mine.Get(); },
              std::move(future))
      .join();
  // NOLINTNEXTLINE(bugprone-use-after-move)
  EXPECT_FALSE(future.IsValid());
  EXPECT_EQ(result, 7);
}

TEST(Future, HoldsVoidReferencesAndMoveOnlyValues) {
  ThreadPool pool(1);
  int target = 0;
  Async(pool, [&] { target = 5; }).Get();
  EXPECT_EQ(target, 5);
  Future<int&> reference = Async(pool, [&]() -> int& { return target; });
  EXPECT_EQ(&reference.Get(), &target);
  Future<std::unique_ptr<int>> owned = Async(
      pool,
      [](std::unique_ptr<int> value) {
        ++*value;
        return value;
      },
      std::make_unique<int>(1));
  EXPECT_EQ(*owned.Get(), 2);
  Future<std::array<double, 100>> large = Async(pool, [] {
    std::array<double, 100> values;
    std::iota(values.begin(), values.end(), 0.0);
    return values;
  });
  EXPECT_EQ(large.Get()[99], 99.0);
}

struct alignas(128) Overaligned {
  int value = 3;
};

TEST(Future, ClosuresMayBeLargeOrOveraligned) {
  ThreadPool pool(1);
  std::array<int, 1000> large;
  large.fill(2);
  EXPECT_EQ(
      Async(pool,
            [large] { return std::accumulate(large.begin(), large.end(), 0); })
          .Get(),
      2000);
  const Overaligned overaligned;
  EXPECT_TRUE(Async(pool, [overaligned] {
                return reinterpret_cast<std::uintptr_t>(&overaligned) % 128 ==
                           0 &&
                       overaligned.value == 3;
              }).Get());
  const std::array<char, 60> nearly = {};
  EXPECT_EQ(Async(pool, TaskOptions{Priority::kHigh, "named"},
                  [nearly] { return nearly.size(); })
                .Get(),
            60u);
}

TEST(Future, FollowsTheRulesOfInvoke) {
  struct Counter {
    int n = 0;
    int Add(int k) { return n += k; }
  };
  ThreadPool pool(1);
  Counter counter;
  EXPECT_EQ(Async(pool, &Counter::Add, &counter, 4).Get(), 4);
  EXPECT_EQ(Async(pool, &Counter::Add, std::ref(counter), 5).Get(), 9);
  EXPECT_EQ(Async(pool, &Counter::n, counter).Get(), 9);
  const auto once = [p = std::make_unique<int>(8)]() { return *p; };
  EXPECT_EQ(Async(pool, std::ref(once)).Get(), 8);
  EXPECT_EQ(Async([](int x) { return x; }, 3).Get(), 3);
}

TEST(Future, DestroysTheClosureBeforeTheResultIsSeen) {
  ThreadPool pool(1);
  const auto token = std::make_shared<int>(1);
  for (int i = 0; i < 100; ++i) {
    Future<int> future = Async(pool, [token] { return *token; });
    future.Wait();
    EXPECT_EQ(token.use_count(), 1);
    future.Get();
  }
}

TEST(Future, OfADefaultConstructedOneSaysThatItHasNoState) {
  Future<int> none;
  EXPECT_FALSE(none.IsValid());
  EXPECT_THROW(none.Get(), std::future_error);
  EXPECT_THROW(none.Wait(), std::future_error);
  EXPECT_THROW(none.IsReady(), std::future_error);
  EXPECT_THROW(none.Cancel(), std::future_error);
  EXPECT_THROW(none.WaitFor(seconds(1)), std::future_error);
}

TEST(Future, MovingHandsOverTheResult) {
  ThreadPool pool(0);
  Future<int> a = Async(pool, [] { return 1; });
  Future<int> b = std::move(a);
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_FALSE(a.IsValid());
  a = Async(pool, [] { return 2; });
  b = std::move(a);
  EXPECT_EQ(b.Get(), 2);
}

TEST(Future, TimedWaitsAndCancelLeaveATaskThatRunsAlone) {
  Hold hold;
  const auto pool = MakeEagerPool(1);
  Future<int> future = Async(*pool, [&] {
    hold.Stay();
    return 1;
  });
  hold.AwaitTask();
  // A task that runs is not cancelled either.
  EXPECT_FALSE(future.Cancel());
  EXPECT_FALSE(future.WaitFor(milliseconds(0)));
  EXPECT_FALSE(future.WaitFor(milliseconds(2)));
  EXPECT_FALSE(
      future.WaitUntil(std::chrono::system_clock::now() + milliseconds(2)));
  EXPECT_FALSE(future.WaitUntil(std::chrono::steady_clock::time_point::min()));
  EXPECT_FALSE(future.IsReady());
  hold.Release();
  EXPECT_TRUE(future.WaitFor(std::chrono::hours::max()));
  EXPECT_TRUE(future.IsReady());
  EXPECT_EQ(future.Get(), 1);
}

TEST(Future, ATimedWaitBeginsATaskThatNobodyHasBegun) {
  ThreadPool pool(0);
  Future<int> future = Async(pool, [] { return 4; });
  EXPECT_FALSE(future.IsReady());
  EXPECT_TRUE(future.WaitFor(seconds(0)));
  EXPECT_EQ(future.Get(), 4);
}

TEST(Future, WaitingForItselfIsAnError) {
  for (const int workers : {0, 1}) {
    Gate stored;
    std::atomic<bool> has_thrown{false};
    const auto pool = MakeEagerPool(workers);
    Future<void> self;
    self = Async(*pool, [&] {
      stored.Pass();
      EXPECT_THROW(self.Wait(), std::logic_error);
      has_thrown = true;
    });
    stored.Open();
    if (workers > 0) {
      ASSERT_TRUE(Eventually([&] { return has_thrown.load(); }));
    }
    self.Wait();
    EXPECT_TRUE(has_thrown);
  }
}

TEST(Future, CancelDropsATaskThatNobodyHasBegun) {
  ThreadPool pool(0);
  const auto token = std::make_shared<int>(0);
  Future<int> future = Async(pool, [token] { return ++*token; });
  EXPECT_TRUE(future.Cancel());
  EXPECT_EQ(token.use_count(), 1) << "the closure is gone";
  EXPECT_FALSE(future.Cancel());
  EXPECT_TRUE(future.IsReady());
  EXPECT_THROW(future.Get(), TaskCancelled);
  EXPECT_EQ(*token, 0);
  pool.WaitForAll();
}

TEST(Future, AWaitRunsNoForeignWork) {
  Hold hold;
  const auto pool = MakeEagerPool(1);
  Future<void> held = Async(*pool, [&] { hold.Stay(); });
  hold.AwaitTask();
  const std::thread::id me = std::this_thread::get_id();
  std::atomic<int> run_by_me{0};
  std::vector<Future<void>> foreign;
  foreign.reserve(50);
  for (int i = 0; i < 50; ++i) {
    foreign.push_back(Async(*pool, [&] {
      if (std::this_thread::get_id() == me) run_by_me.fetch_add(1);
    }));
  }
  EXPECT_FALSE(held.WaitFor(milliseconds(20)));
  EXPECT_EQ(run_by_me, 0);
  hold.Release();
  held.Wait();
  EXPECT_EQ(run_by_me, 0);
}

// Each task needs a thread of its own.
void PushTasksThatMeet(TaskGroup& group, Meeting& meeting, int number) {
  for (int k = 0; k < number; ++k) {
    group.Run([&] { EXPECT_TRUE(meeting.Attend()); });
  }
}

TEST(Future, AWaitHelpsWithWhatTheTaskWaitsFor) {
  Gate begun;
  const auto pool = MakeEagerPool(1);
  Future<void> outer = Async(*pool, [&] {
    begun.Open();
    // Only the worker, which runs this, and the main thread can come.
    Meeting meeting(2);
    TaskGroup group(*pool);
    PushTasksThatMeet(group, meeting, 2);
    group.Wait();
  });
  begun.Pass();
  outer.Get();
}

TEST(Future, AWaitDoesNotRunAFutureThatTheTaskDoesNotAwaitYet) {
  Gate begun;
  const auto pool = MakeEagerPool(1);
  const std::thread::id me = std::this_thread::get_id();
  bool ran_in_main_thread = false;
  Future<void> outer = Async(*pool, [&] {
    Future<void> inner = Async(
        *pool, [&] { ran_in_main_thread = std::this_thread::get_id() == me; });
    begun.Open();
    std::this_thread::sleep_for(milliseconds(2));
    inner.Get();
  });
  begun.Pass();
  outer.Get();
  EXPECT_FALSE(ran_in_main_thread);
}

TEST(Future, StaysValidWhenThePoolHasGone) {
  Future<int> ready;
  Future<std::string> failed;
  {
    ThreadPool pool(1);
    ready = Async(pool, [] { return 3; });
    failed =
        Async(pool, []() -> std::string { throw std::runtime_error("x"); });
  }
  EXPECT_TRUE(ready.IsReady());
  EXPECT_EQ(ready.Get(), 3);
  EXPECT_THROW(failed.Get(), std::runtime_error);
}

TEST(Future, AnotherThreadMayWaitWhileThePoolIsDestroyed) {
  for (int run = 0; run < 300; ++run) {
    auto pool = MakeEagerPool(1 + run % 3);
    Future<int> future = Async(*pool, [run] {
      if (run % 2 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(run));
      return run;
    });
    std::thread waiter([&future, run] { EXPECT_EQ(future.Get(), run); });
    pool.reset();
    waiter.join();
  }
}

// A thread that waits, and has fallen asleep over it, comes as soon as the wait
// is for something that it can run.
class LateWaits : public ::testing::Test {
 protected:
  void AwaitSleepers(int number) {
    const std::string state = "sleeping owners " + std::to_string(number);
    EXPECT_TRUE(Eventually([&] {
      return pool_->state().DebugString().find(state) != std::string::npos;
    }));
  }

  std::unique_ptr<ThreadPool> pool_;
};

TEST_F(LateWaits, CallAThreadThatSleepsUntilTheTaskEnds) {
  pool_ = MakeEagerPool(1);
  Gate begun;
  Future<void> task = Async(*pool_, [&] {
    begun.Open();
    AwaitSleepers(1);
    Meeting meeting(2);
    TaskGroup group(*pool_);
    PushTasksThatMeet(group, meeting, 2);
    group.Wait();
  });
  begun.Pass();
  task.Get();
}

TEST_F(LateWaits, CallAThreadThatSleepsForWhatTheAwaitedTaskHasStarted) {
  pool_ = MakeEagerPool(2);
  Meeting meeting(3);
  std::atomic<int> num_begun{0};
  Gate pushed;
  Future<void> inner = Async(*pool_, [&] {
    num_begun.fetch_add(1);
    EXPECT_TRUE(Eventually([&] { return num_begun == 2; }));
    AwaitSleepers(1);
    TaskGroup group(*pool_);
    PushTasksThatMeet(group, meeting, 3);
    pushed.Open();
    group.Wait();
  });
  Future<void> outer = Async(*pool_, [&] {
    num_begun.fetch_add(1);
    pushed.Pass();
    // The other one waits for its group by now.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    inner.Get();
  });
  ASSERT_TRUE(Eventually([&] { return num_begun == 2; }));
  outer.Get();
}

// A searcher that goes on leaves out a queue from which another thread claims.
TEST(LastSearchBeforeSleep, WaitsForTheLockOfAQueue) {
  ThreadPool pool(0);
  TaskGroup group(pool);
  detail::RegionHandle handle = 0;
  group.Run([&] { handle = detail::RegionOfThisThread(); });
  group.Wait();
  std::atomic<int> runs{0};
  group.Run([&] { ++runs; });

  detail::TaskQueue& queue = detail::QueueOf(pool.state());
  ASSERT_TRUE(Eventually([&] { return queue.IsSettled(/*high=*/false); }));
  detail::SpinLock& lock = queue.lock();
  lock.Lock();
  detail::Searcher hasty;
  hasty.ancestor = handle;
  EXPECT_FALSE(pool.state().HelpWithin(&hasty));
  EXPECT_FALSE(hasty.tasks.has_deferred);
  std::atomic<bool> begins{false};
  std::thread last([&] {
    detail::Searcher searcher;
    searcher.ancestor = handle;
    searcher.tasks.is_last_look = true;
    begins = true;
    EXPECT_TRUE(pool.state().HelpWithin(&searcher));
  });
  while (!begins) std::this_thread::yield();
  std::this_thread::sleep_for(kShortSleep);
  lock.Unlock();
  last.join();
  EXPECT_EQ(runs, 1);
  group.Wait();
}

}  // namespace
}  // namespace ceres::parallel
