// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What Wait returns: kCompleted if and only if every task, index or node has
// run.

#include <atomic>
#include <stdexcept>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

TEST(GroupStatus, OfAnEmptyGroupThatIsCancelledIsCompleted) {
  const auto pool = MakeEagerPool(1);
  TaskGroup group(*pool);
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  group.Cancel();
  EXPECT_TRUE(group.IsCancelled());
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  // It is as new.
  EXPECT_FALSE(group.IsCancelled());
  int runs = 0;
  group.Run([&runs] { ++runs; });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(runs, 1);
}

TEST(GroupStatus, OfAGroupWhoseTasksHaveAllRunIsCompleted) {
  for (const int workers : {0, 2}) {
    const auto pool = MakeEagerPool(workers);
    TaskGroup group(*pool);
    std::atomic<int> runs{0};
    for (int k = 0; k < 5; ++k) group.Run([&runs] { ++runs; });
    ASSERT_EQ(group.Wait(), Status::kCompleted);
    group.Run([&] {
      ++runs;
      group.Cancel();
    });
    EXPECT_EQ(group.Wait(), Status::kCompleted);
    EXPECT_EQ(runs, 6);
  }
}

TEST(GroupStatus, OfAGroupThatDroppedATaskIsCancelledOnce) {
  for (const int workers : {0, 2}) {
    const auto pool = MakeEagerPool(workers);
    TaskGroup group(*pool);
    int runs = 0;
    group.Cancel();
    group.Run([&runs] { ++runs; });  // Dropped at once.
    EXPECT_EQ(group.Wait(), Status::kCancelled);
    EXPECT_EQ(group.Wait(), Status::kCompleted);
    EXPECT_EQ(runs, 0);
  }
  SerialExecutor serial;
  TaskGroup group(serial);
  int runs = 0;
  group.Run([&runs] { ++runs; });
  group.Cancel();  // Dropped while it is queued.
  EXPECT_EQ(group.Wait(), Status::kCancelled);
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(runs, 0);
}

TEST(GroupStatus, OfATokenThatStopsNothingIsCompleted) {
  SerialExecutor serial;
  CancellationSource source;
  TaskGroupOptions options;
  options.token = source.token();
  TaskGroup group(serial, options);
  int runs = 0;
  group.Run([&] {
    ++runs;
    source.Cancel();
  });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(group.IsCancelled());
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  group.Run([&runs] { ++runs; });
  EXPECT_EQ(group.Wait(), Status::kCancelled);
  EXPECT_EQ(runs, 1);
}

TEST(GroupStatus, AnExceptionOfTheOnlyTaskIsThrownOnce) {
  SerialExecutor serial;
  TaskGroup group(serial);
  group.Run([] { throw std::runtime_error("task"); });
  EXPECT_THROW(group.Wait(), std::runtime_error);
  EXPECT_EQ(group.Wait(), Status::kCompleted);
}

TEST(LoopStatus, OfATokenThatTheLastIndexCancelsIsCompleted) {
  for (const int workers : {0, 2}) {
    const auto pool = MakeEagerPool(workers);
    for (const int n : {1, 2, 100}) {
      CancellationSource source;
      const CancellationToken token = source.token();
      LoopOptions options;
      options.token = token;
      std::atomic<int> runs{0};
      const Status status = ParallelFor(
          *pool, 0, n,
          [&](int) {
            if (++runs == n) source.Cancel();
          },
          options);
      EXPECT_EQ(runs, n);
      EXPECT_EQ(status, Status::kCompleted) << n << " of " << workers;
    }
    CancellationSource source;
    source.Cancel();
    const CancellationToken token = source.token();
    LoopOptions options;
    options.token = token;
    EXPECT_EQ(ParallelFor(
                  *pool, 0, 0, [](int) {}, options),
              Status::kCompleted);
  }
}

TEST(GraphStatus, OfAGraphWhoseNodesHaveAllRunIsCompleted) {
  for (const int workers : {0, 2}) {
    const auto pool = MakeEagerPool(workers);
    CancellationSource source;
    TaskGraphOptions options;
    options.token = source.token();
    TaskGraph graph;
    int runs = 0;
    const TaskGraph::Task first = graph.Add([&runs] { ++runs; });
    first.Precede(graph.Add([&] {
      ++runs;
      source.Cancel();
    }));
    EXPECT_EQ(graph.Run(*pool, options), Status::kCompleted);
    EXPECT_EQ(runs, 2);
    TaskGraph empty;
    EXPECT_EQ(empty.Run(*pool, options), Status::kCompleted);
  }
}

}  // namespace
}  // namespace ceres::parallel
