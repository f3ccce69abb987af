// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Limits of threads and of time at the ends of their ranges.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>

#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/testing/test_threads.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::steady_clock;
using std::chrono::system_clock;

// A counter that only grows would overflow after 2^31 claims.
TEST(TaskLimits, NobodyCountsTheThreadsOfASetWithoutALimit) {
  for (const int max_threads : {0, 2}) {
    ThreadPool pool(0);
    detail::TaskSet* const set = detail::TaskSet::New(
        &pool.state(), nullptr, Priority::kNormal, max_threads);
    std::array<detail::Task, 10> tasks;
    for (detail::Task& task : tasks) {
      task.run = [](detail::Task*) {};
      set->Push(&task, &task, 1);
      EXPECT_TRUE(set->Wait());
      EXPECT_EQ(set->NumActive(), 0);
    }
    set->Delete();
  }
}

TEST(TaskLimits, ANegativeLimitIsNoLimitWhereNobodyComesToHelp) {
  KeepingHost host;
  int calls = 0;
  TaskGraph graph;
  graph.Add([&] { ++calls; }).Precede(graph.Add([&] { ++calls; }));
  TaskGraphOptions graph_options;
  graph_options.max_threads = -1;
  graph.Submit(host, graph_options);
  ASSERT_TRUE(graph.WaitFor(std::chrono::seconds(20)));
  EXPECT_EQ(calls, 2);

  TaskGroupOptions group_options;
  group_options.max_threads = std::numeric_limits<int>::min();
  TaskGroup group(host, group_options);
  group.Run([&] { ++calls; });
  ASSERT_TRUE(group.WaitFor(std::chrono::seconds(20)));
  EXPECT_EQ(calls, 3);
}

// No worker is started before there is work.
TEST(TaskLimits, AsManyWorkersAsAnIntCanSayAreOnePerParticipant) {
  constexpr int kMax = std::numeric_limits<int>::max();
  ThreadPool pool(0);
  EXPECT_EQ(pool.MaxConcurrency(), 1);
  pool.Resize(kMax);
  EXPECT_EQ(pool.NumWorkers(), kMax);
  EXPECT_EQ(pool.MaxConcurrency(), kMax);
  pool.SetRunningLimit(1);
  TaskGraph graph;
  std::array<int, 100> visits = {};
  for (int& count : visits) graph.Add([&count] { ++count; });
  EXPECT_EQ(graph.Run(pool), Status::kCompleted);
  LoopOptions options;
  options.schedule = Schedule::kStatic;
  ParallelFor(
      pool, 0, 100, [&](int i) { ++visits[i]; }, options);
  for (const int count : visits) EXPECT_EQ(count, 2);
}

TEST(TaskLimits, WhereTasksBlockAsManyRunAsThePoolHasWorkers) {
  ThreadPoolOptions options;
  options.num_workers = AvailableConcurrency() + 5;
  options.tasks_block = true;
  ThreadPool pool(options);
  std::atomic<int> begun{0};
  std::atomic<bool> have_all_begun{false};
  for (int k = 0; k < options.num_workers; ++k) {
    Detach(pool, [&] {
      ++begun;
      if (Eventually([&] { return begun == options.num_workers; })) {
        have_all_begun = true;
      }
    });
  }
  EXPECT_TRUE(Eventually([&] { return have_all_begun.load(); }));
  pool.SetRunningLimit(3);
  EXPECT_EQ(pool.RunningLimit(), 3);
  pool.SetRunningLimit(0);
  EXPECT_GT(pool.RunningLimit(), options.num_workers);
}

TEST(TaskLimits, ADefaultPoolHasAWorkerForEachCpuButOne) {
  ThreadPool pool;
  EXPECT_EQ(pool.NumWorkers(), std::max(1, AvailableConcurrency() - 1));
  EXPECT_EQ(pool.RunningLimit(), AvailableConcurrency());
}

TEST(HelpUntil, ReturnsAfterTheTimeout) {
  ThreadPool pool(0);
  EXPECT_FALSE(HelpUntil(
      pool, [] { return false; }, std::chrono::milliseconds(2)));
  EXPECT_FALSE(HelpUntil(
      pool, [] { return false; }, std::chrono::seconds(-1)));
  bool ran = false;
  Detach(pool, [&] { ran = true; });
  EXPECT_TRUE(HelpUntil(
      pool, [&] { return ran; }, std::chrono::hours::max()));
}

TEST(Deadlines, OfThePastAreNowAndOfTheFarFutureNever) {
  using Years = std::chrono::duration<long, std::ratio<31556952>>;
  using CoarseSystemTime = std::chrono::time_point<system_clock, Years>;
  using CoarseSteadyTime = std::chrono::time_point<steady_clock, Years>;
  const auto now = steady_clock::now();
  const auto is_past = [](auto deadline) {
    const steady_clock::time_point steady = detail::SteadyDeadline(deadline);
    return steady <= steady_clock::now();
  };
  const auto is_never = [](auto deadline) {
    return detail::SteadyDeadline(deadline) == steady_clock::time_point::max();
  };
  EXPECT_TRUE(is_past(system_clock::time_point::min()));
  EXPECT_TRUE(is_past(system_clock::time_point()));
  EXPECT_TRUE(is_past(system_clock::now()));
  EXPECT_TRUE(is_past(CoarseSystemTime::min()));
  EXPECT_TRUE(is_past(steady_clock::time_point::min()));
  EXPECT_TRUE(is_past(CoarseSteadyTime::min()));
  EXPECT_TRUE(is_never(system_clock::time_point::max()));
  EXPECT_TRUE(
      is_never(system_clock::time_point::max() - std::chrono::hours(1)));
  EXPECT_TRUE(is_never(CoarseSystemTime::max()));
  EXPECT_TRUE(is_never(CoarseSteadyTime::max()));
  EXPECT_TRUE(is_never(steady_clock::time_point::max()));

  const auto soon = detail::SteadyDeadline(now + std::chrono::hours(1));
  EXPECT_GE(soon, now + std::chrono::hours(1));
  EXPECT_LT(soon, steady_clock::now() + std::chrono::hours(1));
  const auto by_calendar =
      detail::SteadyDeadline(system_clock::now() + std::chrono::hours(1));
  EXPECT_GT(by_calendar, now + std::chrono::minutes(59));
  EXPECT_LT(by_calendar, now + std::chrono::minutes(121));
}

TEST(Deadlines, AWaitForTheEarliestMomentReturns) {
  Hold hold;
  ThreadPool pool(1);
  Future<void> future = Async(pool, [&] { hold.Stay(); });
  hold.AwaitTask();
  EXPECT_FALSE(future.WaitUntil(system_clock::time_point::min()));
  EXPECT_FALSE(future.WaitUntil(steady_clock::time_point::min()));
  hold.Release();
  future.Get();
}

}  // namespace
}  // namespace ceres::parallel
