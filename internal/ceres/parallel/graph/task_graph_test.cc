// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/task_graph.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/graph/task_graph_test_util.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/testing/test_threads.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using ::testing::ValuesIn;

constexpr int kScale = kThreadSanitizer ? 10 : 1;

class TaskGraphTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, TaskGraphTest, ValuesIn(AllPools()), PoolName);

TEST_P(TaskGraphTest, RespectsEveryEdgeOfRandomGraphs) {
  for (int seed = 0; seed < 5; ++seed) {
    StampedGraph stamped(2000 / kScale);
    AddRandomEdges(&stamped, 6000 / kScale, seed,
                   seed % 2 == 0 ? Numbering::kForward : Numbering::kShuffled);
    stamped.ExpectRuns(pool(), 3);
  }
}

TEST_P(TaskGraphTest, RunsAThousandTimes) {
  StampedGraph stamped(40);
  AddRandomEdges(&stamped, 80, 7, Numbering::kShuffled);
  stamped.ExpectRuns(pool(), 1000 / kScale);
}

TEST_P(TaskGraphTest, HandsTheStateOfOneTaskToTheNext) {
  // Not atomic: an order that is not there is a data race or a wrong sum.
  constexpr int kLength = 20000 / kScale;
  TaskGraph graph;
  long value = 0;
  AddChain(&graph, kLength, [&](int k) { value = 3 * value % 1000 + k; });
  long expected = 0;
  for (int k = 0; k < kLength; ++k) expected = 3 * expected % 1000 + k;
  graph.Run(pool());
  EXPECT_EQ(value, expected);
}

TEST_P(TaskGraphTest, FansOutAndIn) {
  // One task with many successors, all of which one task awaits.
  for (const int width : {1, 2, 3, 4, 9, 10, 24, 200, 5000 / kScale}) {
    StampedGraph stamped(width + 2);
    for (int k = 1; k <= width; ++k) {
      stamped.Precede(0, k);
      stamped.Precede(k, width + 1);
    }
    stamped.ExpectRuns(pool(), 5);
  }
}

TEST_P(TaskGraphTest, GrowsBetweenRuns) {
  StampedGraph stamped(60);
  for (int k = 1; k < 60; ++k) {
    // First independent tasks get predecessors, one by one.
    stamped.graph().Run(pool());
    stamped.ExpectOrderAndCalls(k);
    stamped.Precede(k - 1, k);
  }
  std::atomic<int> added{0};
  stamped.graph().Add([&added] { ++added; }).Succeed(stamped.task(59));
  stamped.graph().Run(pool());
  EXPECT_EQ(added, 1);
  stamped.ExpectOrderAndCalls(60);
}

TEST_P(TaskGraphTest, EdgesGivenTwiceMakeNoDifference) {
  StampedGraph stamped(3);
  for (int k = 0; k < 5; ++k) stamped.Precede(0, 1);
  for (int k = 0; k < 2; ++k) stamped.Precede(1, 2);
  stamped.ExpectRuns(pool(), 100);
}

TEST_P(TaskGraphTest, TasksAndLoopsRunEachOther) {
  std::atomic<int> calls{0};
  TaskGraph outer;
  for (int k = 0; k < 8; ++k) {
    outer.Add([&] {
      TaskGraph middle;
      const auto first = middle.Add([&] {
        ParallelFor(pool(), 0, 10, [&](int) {
          TaskGraph inner;
          AddChain(&inner, 3, [&](int) { ++calls; });
          inner.Run(pool());
        });
      });
      for (int j = 0; j < 4; ++j) {
        middle
            .Add([&] {
              TaskGraph inner;
              for (int i = 0; i < 5; ++i) inner.Add([&] { ++calls; });
              inner.Run(pool());
            })
            .Succeed(first);
      }
      middle.Run(pool());
    });
  }
  outer.Run(pool());
  EXPECT_EQ(calls, 8 * (10 * 3 + 4 * 5));
}

TEST_P(TaskGraphTest, SeveralThreadsRunTheirGraphsOnOnePool) {
  RunInThreads(3, [this](int t) {
    StampedGraph stamped(200);
    AddRandomEdges(&stamped, 400, t, Numbering::kForward);
    stamped.ExpectRuns(pool(), 50 / kScale);
  });
}

TEST_P(TaskGraphTest, WaitAnswersWhileTasksRun) {
  TaskGraph graph;
  std::atomic<bool> release{false};
  graph.Add([&] {
    while (!release) std::this_thread::yield();
  });
  graph.Submit(pool());
  if (num_workers() > 0 && GetParam().eager) {
    // Somebody else is to begin the task, or the wait would.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::thread releaser([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    release = true;
  });
  while (!graph.WaitFor(std::chrono::microseconds(100))) {
  }
  EXPECT_TRUE(release);
  EXPECT_TRUE(graph.WaitUntil(std::chrono::system_clock::now()));
  EXPECT_EQ(graph.Wait(), Status::kCompleted);
  releaser.join();
}

TEST_P(TaskGraphTest, DestructorWaits) {
  std::atomic<int> calls{0};
  {
    TaskGraph graph;
    AddChain(&graph, 100, [&](int) { ++calls; });
    graph.Submit(pool());
  }
  EXPECT_EQ(calls, 100);
}

TEST_P(TaskGraphTest, RefusesChangesWhileItRuns) {
  TaskGraph graph;
  TaskGraph::Task first;
  TaskGraph::Task second;
  int refused = 0;
  const auto expect_refusals = [&] {
    EXPECT_THROW(graph.Add([] {}), std::logic_error);
    EXPECT_THROW(first.Precede(second), std::logic_error);
    EXPECT_THROW(second.Succeed(first), std::logic_error);
    EXPECT_THROW(graph.Submit(pool()), std::logic_error);
    EXPECT_THROW(graph.Run(pool()), std::logic_error);
    EXPECT_THROW(graph.Clear(), std::logic_error);
    EXPECT_THROW(graph.Reset(), std::logic_error);
    EXPECT_THROW(graph.FindCycle(), std::logic_error);
    ++refused;
  };
  first = graph.Add(expect_refusals);
  second = graph.Add([] {});
  graph.Submit(pool());
  graph.Wait();
  EXPECT_EQ(refused, 1);
  first.Precede(second);
  graph.Run(pool());
  EXPECT_EQ(refused, 2);
}

TEST_P(TaskGraphTest, WaitingInATaskOfTheGraphIsAnError) {
  TaskGraph graph;
  std::atomic<int> calls{0};
  graph.Add([&] {
    EXPECT_THROW(graph.Wait(), std::logic_error);
    ++calls;
  });
  // Also through a loop of the task.
  graph.Add([&] {
    ParallelFor(pool(), 0, 1, [&](int) {
      EXPECT_THROW(graph.WaitFor(std::chrono::hours(1)), std::logic_error);
      ++calls;
    });
  });
  graph.Run(pool());
  EXPECT_EQ(calls, 2);
}

TEST(TaskGraph, RunsInOrderOfAddingWithoutWorkers) {
  ThreadPool pool(0);
  TaskGraph graph;
  std::vector<int> order;
  for (int k = 0; k < 5; ++k) graph.Add([&order, k] { order.push_back(k); });
  graph.Run(pool);
  graph.Add([&order] { order.push_back(5); });
  graph.Run(pool);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5}));
}

TEST(TaskGraph, RunsOnForeignThreads) {
  StampedGraph stamped(300);
  AddRandomEdges(&stamped, 500, 1, Numbering::kShuffled);
  QueueHost threads(std::chrono::microseconds(0));
  SerialExecutor serial;
  ThreadPool pool(2);
  Executor& pool_as_executor = pool;
  int runs = 0;
  for (int k = 0; k < 10; ++k) {
    for (Executor* host :
         {static_cast<Executor*>(&threads), static_cast<Executor*>(&serial),
          &pool_as_executor}) {
      EXPECT_EQ(stamped.graph().Run(*host), Status::kCompleted);
      stamped.ExpectOrderAndCalls(++runs);
    }
  }
}

TEST(TaskGraph, EmptyGraphIsCompleted) {
  ThreadPool pool(1);
  TaskGraph graph;
  EXPECT_EQ(graph.size(), 0u);
  EXPECT_EQ(graph.Wait(), Status::kCompleted);
  EXPECT_EQ(graph.Run(pool), Status::kCompleted);
  graph.Clear();
  graph.Reset();
  EXPECT_EQ(graph.Run(pool), Status::kCompleted);
}

TEST(TaskGraph, MaxThreadsOfOneRunsOneTaskAtATime) {
  const auto pool = MakeEagerPool(4);
  TaskGraph graph;
  int calls = 0;  // Not atomic.
  for (int k = 0; k < 1000; ++k) graph.Add([&calls] { ++calls; });
  TaskGraphOptions options;
  options.max_threads = 1;
  graph.Run(*pool, options);
  EXPECT_EQ(calls, 1000);
}

}  // namespace
}  // namespace ceres::parallel
