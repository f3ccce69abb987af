// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/task_group.h"

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_threads.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::Eq;
using ::testing::ThrowsMessage;

class TaskGroupOnEveryPool : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, TaskGroupOnEveryPool,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(TaskGroupOnEveryPool, RunsEachTaskOnce) {
  std::vector<std::atomic<int>> calls(3000);
  TaskGroup group(pool());
  for (int i = 0; i < 3000; ++i) {
    group.Run([&calls](int k) { calls[k].fetch_add(1); }, i);
  }
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  for (const auto& count : calls) EXPECT_EQ(count, 1);
}

TEST_P(TaskGroupOnEveryPool, IsAsNewAfterWait) {
  TaskGroup group(pool());
  std::atomic<int> calls{0};
  for (int round = 0; round < 200; ++round) {
    group.Run([&] { calls.fetch_add(1); });
    group.Run([&] { calls.fetch_add(1); });
    EXPECT_EQ(group.Wait(), Status::kCompleted);
    ASSERT_EQ(calls, 2 * (round + 1));
  }
  EXPECT_EQ(group.Wait(), Status::kCompleted) << "of an empty group";
}

void Spawn(TaskGroup& group, int depth, std::atomic<int>& leaves) {
  if (depth == 0) {
    leaves.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  for (int child = 0; child < 2; ++child) {
    group.Run([&group, depth, &leaves] { Spawn(group, depth - 1, leaves); });
  }
}

TEST_P(TaskGroupOnEveryPool, TasksMayRunMoreTasksOfTheirGroup) {
  TaskGroup group(pool());
  std::atomic<int> leaves{0};
  Spawn(group, 10, leaves);
  group.Wait();
  EXPECT_EQ(leaves, 1024);
}

std::int64_t Fibonacci(ThreadPool& pool, int n) {
  if (n < 2) return n;
  std::int64_t first = 0;
  TaskGroup group(pool);
  group.Run([&] { first = Fibonacci(pool, n - 1); });
  const std::int64_t second = Fibonacci(pool, n - 2);
  group.Wait();
  return first + second;
}

TEST_P(TaskGroupOnEveryPool, GroupsNest) {
  EXPECT_EQ(Fibonacci(pool(), 17), 1597);
}

TEST_P(TaskGroupOnEveryPool, GroupsWithinLoopsWithinGroups) {
  std::atomic<int> count{0};
  TaskGroup outer(pool());
  for (int k = 0; k < 6; ++k) {
    outer.Run([&] {
      ParallelFor(pool(), 0, 20, [&](int) {
        TaskGroup inner(pool());
        for (int i = 0; i < 5; ++i) inner.Run([&] { count.fetch_add(1); });
        inner.Wait();
      });
    });
  }
  outer.Wait();
  EXPECT_EQ(count, 600);
}

TEST_P(TaskGroupOnEveryPool, TheFirstExceptionIsRethrownAndTheRestDropped) {
  TaskGroup group(pool());
  const auto token = std::make_shared<int>(0);
  std::atomic<int> after{0};
  group.Run([] { throw std::runtime_error("task"); });
  for (int round = 0; round < 2; ++round) {
    EXPECT_THROW(
        {
          for (int i = 0; i < 1000; ++i) {
            group.Run([token, i] {
              if (i == 3) throw std::runtime_error("task");
            });
          }
          group.Wait();
        },
        std::runtime_error);
  }
  EXPECT_EQ(token.use_count(), 1) << "closures are destroyed";
  EXPECT_FALSE(group.IsCancelled());
  group.Run([&] { after.fetch_add(1); });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(after, 1);
}

TEST_P(TaskGroupOnEveryPool, MayBeSharedByThreadsThatRunAndWait) {
  TaskGroup group(pool());
  std::atomic<int> calls{0};
  RunInThreads(4, [&](int) {
    for (int round = 0; round < 50; ++round) {
      for (int i = 0; i < 10; ++i) group.Run([&] { calls.fetch_add(1); });
      group.Wait();
    }
  });
  group.Wait();
  EXPECT_EQ(calls, 2000);
}

TEST_P(TaskGroupOnEveryPool, NeverRunsMoreTasksAtOnceThanItMay) {
  for (const int cap : {1, 2, 3}) {
    TaskGroupOptions options;
    options.max_threads = cap;
    TaskGroup group(pool(), options);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> calls{0};
    for (int i = 0; i < 200; ++i) {
      group.Run([&] {
        const int now = inside.fetch_add(1) + 1;
        int seen = most.load();
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        if (calls.fetch_add(1) % 20 == 0)
          std::this_thread::sleep_for(microseconds(20));
        inside.fetch_sub(1);
      });
    }
    group.Wait();
    EXPECT_EQ(calls, 200);
    EXPECT_LE(most, cap);
  }
}

TEST_P(TaskGroupOnEveryPool, TheDestructorWaits) {
  std::atomic<int> calls{0};
  {
    TaskGroup group(pool());
    for (int i = 0; i < 100; ++i) group.Run([&] { calls.fetch_add(1); });
  }
  EXPECT_EQ(calls, 100);
}

// Short tasks are set aside by the batch; a long one among them must not keep
// the others of its batch from running.
TEST(TaskGroup, ATaskMayBlockUntilAllOthersHaveRun) {
  for (const int workers : {1, 2}) {
    const auto pool = MakeEagerPool(workers);
    for (int round = 0; round < 20; ++round) {
      constexpr int kTasks = 2000;
      std::atomic<int> ran{0};
      std::atomic<bool> ok{true};
      TaskGroup group(*pool);
      for (int i = 0; i < kTasks; ++i) {
        group.Run([&, i] {
          if (i % kTasks == 97 * round) {
            if (!Eventually([&] { return ran == kTasks - 1; })) ok = false;
          }
          ran.fetch_add(1);
        });
      }
      group.Wait();
      ASSERT_TRUE(ok);
      ASSERT_EQ(ran, kTasks);
    }
  }
}

TEST(TaskGroup, CancelDropsWhatNobodyHasBegun) {
  ThreadPool pool(0);
  TaskGroup group(pool);
  const auto token = std::make_shared<int>(0);
  for (int i = 0; i < 100; ++i) {
    group.Run([token, &group] {
      if (++*token == 10) group.Cancel();
    });
  }
  EXPECT_EQ(group.Wait(), Status::kCancelled);
  EXPECT_EQ(*token, 10);
  EXPECT_EQ(token.use_count(), 1);
  group.Run([token] { ++*token; });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(*token, 11);
}

TEST(TaskGroup, RunDoesNothingOnceCancelled) {
  ThreadPool pool(0);
  TaskGroup group(pool);
  int calls = 0;
  group.Cancel();
  EXPECT_TRUE(group.IsCancelled());
  group.Run([&] { ++calls; });
  EXPECT_EQ(group.Wait(), Status::kCancelled);
  EXPECT_EQ(calls, 0);
}

TEST(TaskGroup, ATokenOrATaskStopsTheGroup) {
  const auto pool = MakeEagerPool(2);
  for (const bool has_token : {false, true}) {
    CancellationSource source;
    TaskGroupOptions options;
    if (has_token) options.token = source.token();
    TaskGroup group(*pool, options);
    std::atomic<int> calls{0};
    for (int i = 0; i < 1000; ++i) {
      group.Run([&] {
        if (calls.fetch_add(1) != 5) return;
        if (has_token) source.Cancel();
        if (!has_token) group.Cancel();
      });
    }
    EXPECT_EQ(group.Wait(), Status::kCancelled);
    EXPECT_LT(calls, 1000);
    EXPECT_GE(calls, 6);
  }
}

TEST(TaskGroup, ATokensDeadlineEndsTheGroup) {
  FakeClock clock;
  const auto pool = MakeEagerPool(1);
  const CancellationSource source(milliseconds(50));
  TaskGroupOptions options;
  options.token = source.token();
  TaskGroup group(*pool, options);
  std::atomic<int> calls{0};
  for (int i = 0; i < 10000; ++i) {
    group.Run([&] {
      calls.fetch_add(1);
      clock.Advance(milliseconds(1));
    });
  }
  EXPECT_EQ(group.Wait(), Status::kDeadlineExceeded);
  // A task that begins before the deadline runs to its end: one a thread.
  EXPECT_GE(calls, 50);
  EXPECT_LE(calls, 52);
}

TEST(TaskGroup, AWaitWithADeadlineLeavesTheGroupAsItWas) {
  Hold hold;
  const auto pool = MakeEagerPool(1);
  TaskGroup group(*pool);
  group.Run([&] {
    hold.Stay();
    throw std::runtime_error("task");
  });
  hold.AwaitTask();
  EXPECT_FALSE(group.WaitFor(milliseconds(2)));
  Status status = Status::kDeadlineExceeded;
  EXPECT_FALSE(group.WaitFor(milliseconds(0), &status));
  EXPECT_FALSE(group.WaitUntil(std::chrono::system_clock::now(), &status));
  EXPECT_EQ(status, Status::kDeadlineExceeded);
  EXPECT_FALSE(group.IsCancelled());
  hold.Release();
  EXPECT_THROW(group.WaitFor(std::chrono::hours(1)), std::runtime_error);
}

TEST(TaskGroup, TimedWaitsMakeProgressWithoutWorkers) {
  ThreadPool pool(0);
  TaskGroup group(pool);
  int calls = 0;
  for (int i = 0; i < 5; ++i) group.Run([&] { ++calls; });
  int waits = 0;
  while (!group.WaitFor(milliseconds(0))) ++waits;
  EXPECT_EQ(calls, 5);
  EXPECT_LE(waits, 5);
}

TEST(TaskGroup, ATimedWaitTellsTheStatus) {
  ThreadPool pool(0);
  TaskGroup group(pool);
  int calls = 0;
  Status status = Status::kDeadlineExceeded;
  group.Run([&] { ++calls; });
  EXPECT_TRUE(group.WaitFor(std::chrono::hours(1), &status));
  EXPECT_EQ(status, Status::kCompleted);
  group.Run([&] { ++calls; });
  group.Cancel();
  EXPECT_TRUE(group.WaitUntil(std::chrono::system_clock::now(), &status));
  EXPECT_EQ(status, Status::kCancelled);
  EXPECT_EQ(calls, 1);
}

TEST(TaskGroup, WaitingInsideATaskOfTheGroupIsAnError) {
  for (const int workers : {0, 1}) {
    const auto pool = MakeEagerPool(workers);
    TaskGroup group(*pool);
    std::atomic<int> calls{0};
    group.Run([&] {
      TaskGroup inner(*pool);
      inner.Run([] {});
      inner.Wait();
      EXPECT_THROW(group.Wait(), std::logic_error);
      calls.fetch_add(1);
    });
    group.Wait();
    EXPECT_EQ(calls, 1);
  }
}

TEST(TaskGroup, OneOfTheThreadsThatWaitGetsTheException) {
  const auto pool = MakeEagerPool(1);
  for (int round = 0; round < 50; ++round) {
    TaskGroup group(*pool);
    std::atomic<int> waiting{0};
    std::atomic<int> caught{0};
    std::atomic<int> cancelled{0};
    group.Run([&] {
      while (waiting < 3) std::this_thread::yield();
      std::this_thread::sleep_for(microseconds(200));
      throw std::runtime_error("task");
    });
    RunInThreads(3, [&](int) {
      waiting.fetch_add(1);
      try {
        if (group.Wait() == Status::kCancelled) cancelled.fetch_add(1);
      } catch (const std::runtime_error&) {
        caught.fetch_add(1);
      }
    });
    EXPECT_EQ(caught, 1);
    // A thread that came after the end finds a new group.
    EXPECT_LE(cancelled, 2);
  }
}

TEST(TaskGroup, AnExceptionThatNobodyWaitedForGoesToTheHandler) {
  ThreadPoolOptions options;
  options.num_workers = 1;
  std::atomic<int> handled{0};
  options.exception_handler = [&](const std::exception_ptr& error) {
    EXPECT_TRUE(error);
    handled.fetch_add(1);
  };
  ThreadPool pool(options);
  {
    TaskGroup group(pool);
    group.Run([] { throw std::runtime_error("task"); });
  }
  EXPECT_EQ(handled, 1);
}

TEST(TaskGroup, TheFirstExceptionOfManyTasksEndsItBeforeTheSecond) {
  ThreadPool pool(0);
  TaskGroup group(pool);
  std::string first;
  int calls = 0;
  for (int i = 0; i < 100; ++i) {
    group.Run([&, i] {
      if (++calls == 1) first = std::to_string(i);
      throw std::runtime_error(std::to_string(i));
    });
  }
  EXPECT_THAT([&] { group.Wait(); },
              ThrowsMessage<std::runtime_error>(Eq(std::ref(first))));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(group.Wait(), Status::kCompleted);
}

// Two tasks that have both begun: the second throws when the exception of the
// first is known, and nobody hears of it.
TEST(TaskGroup, AnExceptionAfterTheFirstIsDropped) {
  const auto pool = MakeEagerPool(2);
  std::atomic<int> handled{0};
  pool->SetExceptionHandler(
      [&](const std::exception_ptr&) { handled.fetch_add(1); });
  for (int round = 0; round < 20; ++round) {
    Hold first;
    Gate second_has_begun;
    std::atomic<int> others{0};
    TaskGroup group(*pool);
    group.Run([&] {
      first.Stay();
      throw std::runtime_error("first");
    });
    group.Run([&] {
      second_has_begun.Open();
      // An exception is kept before it stops the group.
      EXPECT_TRUE(Eventually([&] { return group.IsCancelled(); }));
      throw std::runtime_error("second");
    });
    first.AwaitTask();
    second_has_begun.Pass();
    // Both workers are occupied, and this thread does not help yet.
    for (int i = 0; i < 100; ++i) group.Run([&] { others.fetch_add(1); });
    first.Release();
    ASSERT_TRUE(Eventually([&] { return group.IsCancelled(); }));
    EXPECT_THAT([&] { group.Wait(); },
                ThrowsMessage<std::runtime_error>("first"));
    EXPECT_EQ(others, 0);
    EXPECT_FALSE(group.IsCancelled());
    group.Run([&] { others.fetch_add(1); });
    EXPECT_EQ(group.Wait(), Status::kCompleted);
    EXPECT_EQ(others, 1);
  }
  EXPECT_EQ(handled, 0);
}

// One thread pushes while the other, on a pool without workers, sleeps in Wait.
TEST(TaskGroup, AThreadThatSleepsInWaitRunsWhatOthersPush) {
  ThreadPool pool(0);
  for (int round = 0; round < 20; ++round) {
    TaskGroup group(pool);
    std::atomic<int> calls{0};
    std::atomic<bool> done{false};
    std::thread owner([&] {
      group.Run([&] {
        // Runs in a thread that waits; pushes more, and does not run it.
        for (int i = 0; i < 3; ++i) {
          std::this_thread::sleep_for(microseconds(300));
          std::atomic<bool> ran{false};
          group.Run([&] {
            calls.fetch_add(1);
            ran = true;
          });
          EXPECT_TRUE(Eventually([&] { return ran.load(); }));
        }
        done = true;
      });
      group.Wait();
    });
    group.Wait();
    while (!done) {
      group.Wait();
      std::this_thread::yield();
    }
    owner.join();
    EXPECT_EQ(calls, 3);
  }
}

TEST(TaskGroup, ClosuresMayBeLargeOrMoveOnly) {
  ThreadPool pool(1);
  TaskGroup group(pool);
  std::array<int, 200> large;
  large.fill(1);
  std::atomic<int> sum{0};
  group.Run([large, &sum] { sum += large[0] + large[199]; });
  group.Run([&sum](std::unique_ptr<int> p) { sum += *p; },
            std::make_unique<int>(5));
  group.Wait();
  EXPECT_EQ(sum, 7);
}

}  // namespace
}  // namespace ceres::parallel
