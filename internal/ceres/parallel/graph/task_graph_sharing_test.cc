// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Short tasks of a TaskGraph are kept by a thread or handed over by the dozen:
// the hazards of that.

#include <atomic>
#include <chrono>
#include <thread>

#include "ceres/parallel/future.h"
#include "ceres/parallel/graph/task_graph_test_util.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/short_sleep.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

constexpr int kScale = kThreadSanitizer ? 10 : 1;

class TaskGraphSharingTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, TaskGraphSharingTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

// Enough short tasks in a row for the graph to know that they are short.
TaskGraph::Task AddShortChain(TaskGraph* graph) {
  return AddChain(graph, 100, [](int) {});
}

TEST_P(TaskGraphSharingTest, KeptTasksRunOnceInOrder) {
  // Trees, whose inner tasks make more tasks ready than a thread can keep, and
  // many roots.
  for (const int arity : {2, 3, 40, 100}) {
    constexpr int kTasks = 20000 / kScale;
    StampedGraph stamped(kTasks);
    for (int k = 50; k < kTasks; ++k) stamped.Precede(k / arity, k);
    stamped.ExpectRuns(pool(), 3);
  }
}

TEST_P(TaskGraphSharingTest, ManyRootsRunOnceInAnyMix) {
  for (const int roots : {15, 16, 17, 100, 3000 / kScale}) {
    StampedGraph stamped(2 * roots);
    for (int k = 0; k < roots; ++k) {
      stamped.Precede(k, roots + k);
      stamped.Precede(k, roots + (k + 1) % roots);
    }
    stamped.ExpectRuns(pool(), 10);
  }
}

TEST_P(TaskGraphSharingTest, TaskThatHelpsUntilAnotherHasRunFindsIt) {
  for (const int num_others : {1, 5, 30, 60, 200}) {
    TaskGraph graph;
    const auto start = AddShortChain(&graph);
    std::atomic<int> others{0};
    // Whichever of these is the first to run waits for all the others.
    std::atomic<bool> is_first{true};
    for (int k = 0; k <= num_others; ++k) {
      start.Precede(graph.Add([&] {
        if (is_first.exchange(false)) {
          HelpUntil(pool(), [&] { return others == num_others; });
        } else {
          ++others;
        }
      }));
    }
    for (int run = 0; run < 5; ++run) {
      others = 0;
      is_first = true;
      EXPECT_EQ(graph.Run(pool()), Status::kCompleted);
      EXPECT_EQ(others, num_others);
    }
  }
}

TEST_P(TaskGraphSharingTest, TaskThatAwaitsAFutureDoesNotHoldUpOthers) {
  TaskGraph graph;
  const auto start = AddShortChain(&graph);
  std::atomic<int> calls{0};
  for (int k = 0; k < 40; ++k) {
    start.Precede(graph.Add([&, k] {
      if (k % 10 != 0) {
        ++calls;
        return;
      }
      calls += Async(pool(), [&] {
                 TaskGraph inner;
                 const auto first = AddShortChain(&inner);
                 for (int j = 0; j < 20; ++j) {
                   first.Precede(inner.Add([&calls] { ++calls; }));
                 }
                 inner.Run(pool());
                 return 1;
               }).Get();
    }));
  }
  for (int run = 0; run < 10; ++run) {
    calls = 0;
    graph.Run(pool());
    ASSERT_EQ(calls, 36 + 4 * 21);
  }
}

TEST_P(TaskGraphSharingTest, WaitComesBackFromTheMiddleOfAChain) {
  // Without a deadline in between, one thread would run the chain to its end.
  constexpr int kTasks = 300;
  TaskGraph graph;
  std::atomic<int> calls{0};
  AddChain(&graph, kTasks, [&](int) {
    ++calls;
    std::this_thread::sleep_for(kShortSleep);
  });
  graph.Submit(pool());
  int returns = 0;
  while (!graph.WaitFor(10 * kShortSleep)) ++returns;
  EXPECT_EQ(calls, kTasks);
  EXPECT_EQ(graph.Wait(), Status::kCompleted);
  // The chain takes thirty such waits at least.
  EXPECT_GT(returns, 0);
}

TEST_P(TaskGraphSharingTest, WaitsWithDeadlinesGiveBackWhatTheyKept) {
  constexpr int kTasks = 20000 / kScale;
  StampedGraph stamped(kTasks);
  for (int k = 50; k < kTasks; ++k) stamped.Precede(k / 3, k);
  for (int run = 1; run <= 10; ++run) {
    stamped.graph().Submit(pool());
    while (!stamped.graph().WaitFor(std::chrono::microseconds(20))) {
    }
    stamped.ExpectOrderAndCalls(run);
  }
}

TEST_P(TaskGraphSharingTest, LongChainsMakeWayForHighPriority) {
  if (num_workers() == 0) GTEST_SKIP() << "Nobody but the waiter runs tasks.";
  // Each worker is in a chain that ends when the graph of high priority has
  // run; it must leave the chain for that.
  std::atomic<bool> done{false};
  TaskGraph high;
  high.Add([&done] { done = true; });
  TaskGraph normal;
  for (int chain = 0; chain < 4; ++chain) {
    AddChain(&normal, 200000 / kScale, [&done](int) {
      if (!done) std::this_thread::sleep_for(std::chrono::microseconds(1));
    });
  }
  normal.Submit(pool());
  TaskGraphOptions options;
  options.priority = Priority::kHigh;
  high.Submit(pool(), options);
  EXPECT_TRUE(Eventually([&] { return done.load(); }));
  high.Wait();
  normal.Wait();
}

TEST(TaskGraphSharing, ResizingWhileAGraphRunsLosesNothing) {
  const auto pool = MakeEagerPool(0);
  StampedGraph stamped(5000 / kScale);
  for (int k = 100; k < stamped.size(); ++k) stamped.Precede(k / 2, k);
  std::atomic<bool> done{false};
  std::thread resizer([&] {
    for (int k = 0; !done; ++k) {
      pool->Resize(k % 5);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  stamped.ExpectRuns(*pool, 100 / kScale);
  done = true;
  resizer.join();
}

}  // namespace
}  // namespace ceres::parallel
