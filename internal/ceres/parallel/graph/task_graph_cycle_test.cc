// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

// A graph whose edges are known.
struct CheckedGraph {
  explicit CheckedGraph(int num_tasks) {
    for (int k = 0; k < num_tasks; ++k) {
      tasks.push_back(graph.Add([this] { ++calls; }));
    }
  }
  void Precede(int from, int to) {
    tasks[from].Precede(tasks[to]);
    edges.insert({from, to});
  }
  // The cycle that Submit reports, checked edge by edge, as indices. Empty:
  // none.
  std::vector<int> Cycle() {
    std::vector<int> cycle;
    try {
      graph.Submit(pool);
      graph.Wait();
    } catch (const CycleError& error) {
      for (const TaskGraph::Task task : error.tasks()) {
        cycle.push_back(static_cast<int>(task.index()));
      }
      message = error.what();
      EXPECT_EQ(calls, 0) << "a task ran in spite of the cycle";
    }
    for (std::size_t k = 0; k < cycle.size(); ++k) {
      const int next = cycle[(k + 1) % cycle.size()];
      EXPECT_EQ(edges.count({cycle[k], next}), 1u) << cycle[k] << " " << next;
    }
    EXPECT_EQ(std::set<int>(cycle.begin(), cycle.end()).size(), cycle.size());
    return cycle;
  }

  ThreadPool pool{1};
  TaskGraph graph;
  std::vector<TaskGraph::Task> tasks;
  std::set<std::pair<int, int>> edges;
  std::atomic<int> calls{0};
  std::string message;
};

TEST(TaskGraphCycle, TaskThatWaitsForItself) {
  CheckedGraph checked(3);
  checked.Precede(1, 1);
  EXPECT_EQ(checked.Cycle(), std::vector<int>{1});
  EXPECT_THAT(checked.message, HasSubstr("#1 -> #1"));
}

TEST(TaskGraphCycle, TwoTasksWithNames) {
  ThreadPool pool(0);
  TaskGraph graph;
  const auto hen = graph.Add([] {}, "hen");
  const auto egg = graph.Add([] {}, "egg");
  graph.Add([] {}, "farmer");
  hen.Precede(egg);
  egg.Precede(hen);
  try {
    graph.Run(pool);
    FAIL();
  } catch (const CycleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"hen\" (#0)"));
    EXPECT_THAT(error.what(), HasSubstr("\"egg\" (#1)"));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("farmer")));
    EXPECT_EQ(error.tasks().size(), 2u);
  }
}

TEST(TaskGraphCycle, LongCycleIsReportedWhole) {
  constexpr int kLength = 100000;
  CheckedGraph checked(kLength);
  for (int k = 0; k < kLength; ++k) checked.Precede(k, (k + 1) % kLength);
  EXPECT_EQ(checked.Cycle().size(), static_cast<std::size_t>(kLength));
  EXPECT_LT(checked.message.size(), 1000u);
  EXPECT_THAT(checked.message, HasSubstr("99984 more"));
}

TEST(TaskGraphCycle, ShortCycleAmongManyTasksIsFoundAlone) {
  constexpr int kTasks = 100000;
  CheckedGraph checked(kTasks);
  std::mt19937 random(5);
  for (int k = 1; k < kTasks; ++k) {
    // No edges leave 70000 but one, which closes a cycle of three.
    const int from = static_cast<int>(random() % k);
    if (from != 70000) checked.Precede(from, k);
  }
  EXPECT_TRUE(checked.graph.FindCycle().empty());
  checked.Precede(60000, 65000);
  checked.Precede(65000, 70000);
  checked.Precede(70000, 60000);
  // All cycles go through the only edge that leads back.
  EXPECT_THAT(checked.Cycle(), IsSupersetOf({60000, 70000}));
}

TEST(TaskGraphCycle, OneOfTwoCyclesIsReported) {
  CheckedGraph checked(10);
  checked.Precede(1, 2);
  checked.Precede(2, 1);
  checked.Precede(7, 8);
  checked.Precede(8, 9);
  checked.Precede(9, 7);
  EXPECT_THAT(checked.Cycle(),
              AnyOf(UnorderedElementsAre(1, 2), UnorderedElementsAre(7, 8, 9)));
}

TEST(TaskGraphCycle, CycleBehindAnyOfManyEdges) {
  // The edge that closes the cycle is at every place of a node's list once.
  for (int closing = 0; closing < 40; ++closing) {
    CheckedGraph checked(42);
    checked.Precede(0, 41);
    for (int k = 0; k < 40; ++k) {
      checked.Precede(41, k == closing ? 0 : k + 1);
    }
    EXPECT_EQ(checked.Cycle().size(), 2u) << closing;
  }
}

TEST(TaskGraphCycle, EdgesAgainstTheOrderOfAddingAreNoCycle) {
  CheckedGraph checked(1000);
  for (int k = 999; k > 0; --k) checked.Precede(k, k - 1);
  EXPECT_TRUE(checked.Cycle().empty());
  EXPECT_EQ(checked.calls, 1000);
  // Checked again when an edge is added, and only then.
  EXPECT_TRUE(checked.Cycle().empty());
  checked.calls = 0;
  checked.Precede(0, 500);
  EXPECT_EQ(checked.Cycle().size(), 501u);
}

TEST(TaskGraphCycle, FailedSubmitLeavesAGraphThatCanBeCleared) {
  CheckedGraph checked(2);
  checked.Precede(0, 1);
  checked.Precede(1, 0);
  EXPECT_EQ(checked.Cycle().size(), 2u);
  EXPECT_EQ(checked.graph.FindCycle().size(), 2u);
  EXPECT_EQ(checked.Cycle().size(), 2u);
  checked.graph.Clear();
  EXPECT_TRUE(checked.graph.FindCycle().empty());
  checked.graph.Add([&] { ++checked.calls; });
  EXPECT_TRUE(checked.Cycle().empty());
  EXPECT_EQ(checked.calls, 1);
}

}  // namespace
}  // namespace ceres::parallel
