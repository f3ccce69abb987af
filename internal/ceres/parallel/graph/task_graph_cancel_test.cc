// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// How runs of a TaskGraph end early: cancellations, exceptions, tokens.

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/graph/task_graph_test_util.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using ::testing::Eq;
using ::testing::ThrowsMessage;

constexpr int kScale = kThreadSanitizer ? 10 : 1;

class TaskGraphCancelTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, TaskGraphCancelTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(TaskGraphCancelTest, CancelledTasksAndTheirSuccessorsDoNotRun) {
  //  0 -> 1 -> 2 -> 3     4 -> 5 -> 3, 6 alone.
  StampedGraph stamped(7);
  stamped.Precede({0, 1, 2, 3});
  stamped.Precede({4, 5, 3});
  stamped.task(1).Cancel();
  for (int run = 1; run <= 50; ++run) {
    EXPECT_EQ(stamped.graph().Run(pool()), Status::kCancelled);
    for (const int k : {0, 4, 5, 6}) ASSERT_EQ(stamped.calls(k), run);
    for (const int k : {1, 2, 3}) ASSERT_EQ(stamped.calls(k), 0);
  }
  stamped.graph().Reset();
  EXPECT_EQ(stamped.graph().Run(pool()), Status::kCompleted);
  for (const int k : {0, 4, 5, 6}) EXPECT_EQ(stamped.calls(k), 51);
  for (const int k : {1, 2, 3}) EXPECT_EQ(stamped.calls(k), 1);
}

// A run drops exactly the tasks that can be reached from cancelled ones.
// Afterwards the graph is whole.
TEST_P(TaskGraphCancelTest, DropsWhatCanBeReachedAndNothingElse) {
  constexpr int kTasks = 500;
  std::mt19937 random(11);
  const auto any_below = [&](int n) { return static_cast<int>(random() % n); };
  StampedGraph stamped(kTasks);
  std::vector<std::array<int, 2>> predecessors(kTasks);
  for (int k = 1; k < kTasks; ++k) {
    predecessors[k] = {any_below(k), any_below(k)};
    for (const int from : predecessors[k]) stamped.Precede(from, k);
  }
  std::vector<int> expected_calls(kTasks, 0);
  for (int run = 0; run < 30; ++run) {
    std::vector<bool> dropped(kTasks, false);
    for (int k = 0; k < 3; ++k) {
      const int cancelled = any_below(kTasks);
      stamped.task(cancelled).Cancel();
      dropped[cancelled] = true;
    }
    EXPECT_EQ(stamped.graph().Run(pool()), Status::kCancelled);
    for (int k = 0; k < kTasks; ++k) {
      for (const int from : predecessors[k]) {
        if (dropped[from]) dropped[k] = true;
      }
      if (!dropped[k]) ++expected_calls[k];
      ASSERT_EQ(stamped.calls(k), expected_calls[k]++) << k;
    }
    stamped.graph().Reset();
    EXPECT_EQ(stamped.graph().Run(pool()), Status::kCompleted);
  }
}

TEST_P(TaskGraphCancelTest, TasksCancelLaterOnes) {
  StampedGraph stamped(3);
  const auto killer =
      stamped.graph().Add([&stamped] { stamped.task(1).Cancel(); });
  killer.Precede(stamped.task(0));
  stamped.Precede({0, 1, 2});
  EXPECT_EQ(stamped.graph().Run(pool()), Status::kCancelled);
  EXPECT_EQ(stamped.calls(0), 1);
  EXPECT_EQ(stamped.calls(1), 0);
  EXPECT_EQ(stamped.calls(2), 0);
}

TEST_P(TaskGraphCancelTest, TaskThatHasBegunEndsAndSoDoItsSuccessors) {
  StampedGraph stamped(1);
  TaskGraph::Task suicide;
  suicide = stamped.graph().Add([&suicide] { suicide.Cancel(); });
  suicide.Precede(stamped.task(0));
  EXPECT_EQ(stamped.graph().Run(pool()), Status::kCompleted);
  EXPECT_EQ(stamped.calls(0), 1);
  // In the next run it has not begun.
  EXPECT_EQ(stamped.graph().Run(pool()), Status::kCancelled);
  EXPECT_EQ(stamped.calls(0), 1);
}

TEST_P(TaskGraphCancelTest, CancelOfATaskSaysWhetherItWillNotRun) {
  TaskGraph graph;
  std::vector<int> calls(4, 0);
  std::vector<TaskGraph::Task> tasks(4);
  std::vector<bool> answers(4);
  tasks[0] = graph.Add([&] { ++calls[0]; });
  tasks[1] = graph.Add([&] {
    ++calls[1];
    for (int k = 0; k < 4; ++k) answers[k] = tasks[k].Cancel();
  });
  tasks[2] = graph.Add([&] { ++calls[2]; });
  tasks[3] = graph.Add([&] { ++calls[3]; });
  for (int k = 0; k < 3; ++k) tasks[k].Precede(tasks[k + 1]);
  for (int run = 0; run < 3; ++run) {
    graph.Run(pool());
    graph.Reset();
    EXPECT_EQ(answers, std::vector<bool>({false, false, true, true}));
    EXPECT_EQ(calls, std::vector<int>({run + 1, run + 1, 0, 0}));
  }
  // Between runs, of old tasks and new ones.
  const TaskGraph::Task added = graph.Add([] { ADD_FAILURE(); });
  EXPECT_TRUE(added.Cancel());
  EXPECT_TRUE(tasks[0].Cancel());
  graph.Run(pool());
  EXPECT_EQ(calls, std::vector<int>({3, 3, 0, 0}));
  EXPECT_FALSE(TaskGraph::Task().Cancel());
}

// From outside, at any moment: what Cancel promises not to run does not.
TEST_P(TaskGraphCancelTest, WhatCancelPromisesHolds) {
  constexpr int kTasks = 400;
  constexpr int kRuns = 200 / kScale;
  TaskGraph graph;
  std::vector<TaskGraph::Task> tasks;
  std::vector<int> calls(kTasks, 0);
  for (int k = 0; k < kTasks; ++k) {
    tasks.push_back(graph.Add([&calls, k] { ++calls[k]; }));
    if (k >= 8) tasks[k - 8].Precede(tasks[k]);
  }
  // The run does not end before the last call of Cancel has returned.
  std::atomic<bool> has_cancelled{false};
  const TaskGraph::Task last = graph.Add(
      [&] { EXPECT_TRUE(Eventually([&] { return has_cancelled.load(); })); });
  for (int k = 1; k <= 4; ++k) tasks[kTasks / 2 + k].Precede(last);
  tasks[kTasks / 2].Precede(last);
  for (int run = 0; run < kRuns; ++run) {
    calls.assign(kTasks, 0);
    std::vector<char> promised(kTasks, 0);
    has_cancelled = false;
    std::atomic<bool> is_submitted{false};
    std::thread canceller([&] {
      while (!is_submitted) std::this_thread::yield();
      for (int k = kTasks - 1; k > kTasks / 2 + 5; k -= 1 + run % 7) {
        promised[k] = tasks[k].Cancel() ? 1 : 0;
      }
      has_cancelled = true;
    });
    graph.Submit(pool());
    is_submitted = true;
    graph.Wait();
    canceller.join();
    for (int k = 0; k < kTasks; ++k) {
      if (promised[k] != 0) {
        ASSERT_EQ(calls[k], 0) << k << " in run " << run;
      }
    }
    graph.Reset();
  }
}

TEST_P(TaskGraphCancelTest, CancelDropsAllThatHaveNotBegun) {
  StampedGraph stamped(1000);
  const auto first = stamped.graph().Add([&] { stamped.graph().Cancel(); });
  for (int k = 0; k < 1000; ++k) first.Precede(stamped.task(k));
  AddRandomEdges(&stamped, 1000, 3, Numbering::kForward);
  for (int run = 0; run < 20; ++run) {
    EXPECT_EQ(stamped.graph().Run(pool()), Status::kCancelled);
    EXPECT_EQ(stamped.graph().Wait(), Status::kCancelled);  // Told again.
    for (int k = 0; k < 1000; ++k) ASSERT_EQ(stamped.calls(k), 0);
  }
  stamped.graph().Cancel();  // Nothing runs: no effect.
  first.Cancel();
  stamped.graph().Reset();
  EXPECT_EQ(stamped.graph().Run(pool()), Status::kCancelled);
}

TEST_P(TaskGraphCancelTest, CancellingFromOutsideAtAnyMomentLeavesAWholeGraph) {
  constexpr int kTasks = 2000 / kScale;
  StampedGraph stamped(kTasks);
  AddRandomEdges(&stamped, 2 * kTasks, 3, Numbering::kShuffled);
  std::atomic<bool> done{false};
  std::thread canceller([&] {
    std::mt19937 random(1);
    while (!done) {
      if (random() % 2 == 0) {
        stamped.graph().Cancel();
      } else {
        stamped.task(static_cast<int>(random() % kTasks)).Cancel();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
    }
  });
  for (int run = 0; run < 100 / kScale; ++run) stamped.graph().Run(pool());
  done = true;
  canceller.join();
  stamped.graph().Reset();
  std::vector<int> calls;
  for (int k = 0; k < kTasks; ++k) calls.push_back(stamped.calls(k));
  EXPECT_EQ(stamped.graph().Run(pool()), Status::kCompleted);
  for (int k = 0; k < kTasks; ++k) {
    ASSERT_EQ(stamped.calls(k), calls[k] + 1);
  }
}

TEST_P(TaskGraphCancelTest, FirstExceptionReachesTheWaiterAndEndsTheRun) {
  StampedGraph stamped(200);
  const auto thrower = stamped.graph().Add(
      [count = 0]() mutable {
        if (++count % 2 == 1) throw std::runtime_error("thrown");
      },
      "thrower");
  thrower.Succeed(stamped.task(0));
  for (int k = 1; k < 200; ++k) thrower.Precede(stamped.task(k));
  for (int run = 1; run <= 20; ++run) {
    EXPECT_THAT([&] { stamped.graph().Run(pool()); },
                ThrowsMessage<std::runtime_error>("thrown"));
    for (int k = 1; k < 200; ++k) ASSERT_EQ(stamped.calls(k), run - 1);
    // Every other run goes well, without a Reset.
    EXPECT_EQ(stamped.graph().Run(pool()), Status::kCompleted);
    for (int k = 1; k < 200; ++k) ASSERT_EQ(stamped.calls(k), run);
  }
}

TEST_P(TaskGraphCancelTest, OneOfManyExceptionsIsKept) {
  TaskGraph graph;
  for (int k = 0; k < 100; ++k) {
    graph.Add([k] { throw std::runtime_error(std::to_string(k)); });
  }
  for (int run = 0; run < 10; ++run) {
    graph.Submit(pool());
    EXPECT_THROW(graph.WaitFor(std::chrono::hours(1)), std::runtime_error);
    EXPECT_EQ(graph.Wait(), Status::kCancelled);
  }
  graph.Submit(pool());  // The destructor drops it.
}

TEST(TaskGraphCancel, FirstExceptionOfManyTasksEndsTheRunBeforeTheSecond) {
  ThreadPool pool(0);
  TaskGraph graph;
  std::string first;
  int calls = 0;
  for (int k = 0; k < 100; ++k) {
    graph.Add([&, k] {
      if (++calls == 1) first = std::to_string(k);
      throw std::runtime_error(std::to_string(k));
    });
  }
  EXPECT_THAT([&] { graph.Run(pool); },
              ThrowsMessage<std::runtime_error>(Eq(std::ref(first))));
  EXPECT_EQ(calls, 1);
}

// Two tasks that have both begun: the second throws when the exception of the
// first is known, and nobody hears of it.
TEST(TaskGraphCancel, AnExceptionAfterTheFirstIsDropped) {
  const auto pool = MakeEagerPool(2);
  std::atomic<int> handled{0};
  pool->SetExceptionHandler(
      [&](const std::exception_ptr&) { handled.fetch_add(1); });
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0};
    std::atomic<bool> go{false};
    std::atomic<bool> is_first_kept{false};
    std::atomic<int> others{0};
    TaskGraph graph;
    const auto first = graph.Add([&] {
      begun.fetch_add(1);
      EXPECT_TRUE(Eventually([&] { return go.load(); }));
      throw std::runtime_error("first");
    });
    const auto second = graph.Add([&] {
      begun.fetch_add(1);
      EXPECT_TRUE(Eventually([&] { return is_first_kept.load(); }));
      throw std::runtime_error("second");
    });
    for (int k = 0; k < 100; ++k) {
      const auto other = graph.Add([&] { others.fetch_add(1); });
      other.Succeed(k % 2 == 0 ? first : second);
    }
    graph.Submit(*pool);
    ASSERT_TRUE(Eventually([&] { return begun == 2; }));
    // Runs in the worker that has been at the first task, when it has left it:
    // the other one is occupied, and this thread does not help yet.
    Detach(*pool, [&] { is_first_kept = true; });
    EXPECT_FALSE(is_first_kept);
    go = true;
    ASSERT_TRUE(Eventually([&] { return is_first_kept.load(); }));
    EXPECT_THAT([&] { graph.Wait(); },
                ThrowsMessage<std::runtime_error>("first"));
    EXPECT_EQ(others, 0);
  }
  EXPECT_EQ(handled, 0);
}

TEST_P(TaskGraphCancelTest, TokenStopsTheRun) {
  CancellationSource source;
  TaskGraph graph;
  std::atomic<int> calls{0};
  const auto first = graph.Add([&] { source.Cancel(); });
  for (int k = 0; k < 50; ++k) first.Precede(graph.Add([&] { ++calls; }));
  TaskGraphOptions options;
  options.token = source.token();
  EXPECT_EQ(graph.Run(pool(), options), Status::kCancelled);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(graph.Run(pool()), Status::kCompleted);
  EXPECT_EQ(calls, 50);
}

TEST_P(TaskGraphCancelTest, DeadlineStopsTheRun) {
  FakeClock clock;
  TaskGraph graph;
  std::atomic<int> calls{0};
  AddChain(&graph, 100000, [&](int) {
    ++calls;
    clock.Advance(std::chrono::microseconds(100));
  });
  const CancellationSource source(std::chrono::milliseconds(50));
  TaskGraphOptions options;
  options.token = source.token();
  EXPECT_EQ(graph.Run(pool(), options), Status::kDeadlineExceeded);
  // Ten seconds of work, one task after the other. A strand of short tasks
  // looks at the clock now and then.
  EXPECT_GE(calls, 490);
  EXPECT_LT(calls, 2000);
}

TEST_P(TaskGraphCancelTest, TokenThatNeverStopsChangesNothing) {
  const CancellationSource source(std::chrono::hours(1));
  StampedGraph stamped(100);
  AddRandomEdges(&stamped, 100, 9, Numbering::kForward);
  TaskGraphOptions options;
  options.token = source.token();
  EXPECT_EQ(stamped.graph().Run(pool(), options), Status::kCompleted);
  stamped.ExpectOrderAndCalls(1);
}

}  // namespace
}  // namespace ceres::parallel
