// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_GRAPH_TASK_GRAPH_TEST_UTIL_H_
#define CERES_INTERNAL_PARALLEL_GRAPH_TASK_GRAPH_TEST_UTIL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "ceres/parallel/task_graph.h"
#include "gtest/gtest.h"

// Helpers for tests of task graphs.

namespace ceres::parallel {

// A graph whose tasks record when they begin and end, and how often they run.
class StampedGraph {
 public:
  explicit StampedGraph(int num_tasks) : records_(num_tasks) {
    for (Record& record : records_) {
      tasks_.push_back(graph_.Add([this, &record] {
        record.begin = clock_.fetch_add(1);
        ++record.calls;
        record.end = clock_.fetch_add(1);
      }));
    }
  }

  void Precede(int from, int to) {
    tasks_[from].Precede(tasks_[to]);
    edges_.emplace_back(from, to);
  }

  // Each precedes the next.
  void Precede(const std::vector<int>& chain) {
    for (std::size_t k = 1; k < chain.size(); ++k) {
      Precede(chain[k - 1], chain[k]);
    }
  }

  TaskGraph& graph() { return graph_; }
  TaskGraph::Task task(int k) const { return tasks_[k]; }
  int calls(int k) const { return records_[k].calls; }
  int size() const { return static_cast<int>(records_.size()); }

  // Whether each edge was respected and each task called `calls` times.
  void ExpectOrderAndCalls(int calls) const {
    for (const Record& record : records_) ASSERT_EQ(record.calls, calls);
    for (const auto& [from, to] : edges_) {
      ASSERT_LT(records_[from].end, records_[to].begin) << from << " " << to;
    }
  }

  // Runs a new graph several times.
  template <typename Host>
  void ExpectRuns(Host& host, int runs) {
    for (int run = 1; run <= runs; ++run) {
      ASSERT_EQ(graph_.Run(host), Status::kCompleted);
      ExpectOrderAndCalls(run);
    }
  }

 private:
  struct Record {
    long begin = 0;
    long end = 0;
    int calls = 0;  // Not atomic: a second thread at once is a data race.
  };

  std::atomic<long> clock_{0};
  std::vector<Record> records_;
  std::vector<std::pair<int, int>> edges_;
  std::vector<TaskGraph::Task> tasks_;
  TaskGraph graph_;
};

// Adds tasks that call f(0), ..., f(length - 1), one after the other. Returns
// the last one.
template <typename F>
TaskGraph::Task AddChain(TaskGraph* graph, int length, const F& f) {
  TaskGraph::Task last;
  for (int k = 0; k < length; ++k) {
    const auto task = graph->Add([f, k] { f(k); });
    if (last) last.Precede(task);
    last = task;
  }
  return last;
}

// kForward: edges lead from lower to higher numbers. kShuffled: the order of
// the edges is unrelated to the numbers.
enum class Numbering { kForward, kShuffled };
// Adds at most num_edges edges.
inline void AddRandomEdges(StampedGraph* graph, int num_edges, int seed,
                           Numbering numbering) {
  std::mt19937 random(seed);
  std::vector<int> order(graph->size());
  for (int k = 0; k < graph->size(); ++k) order[k] = k;
  if (numbering == Numbering::kShuffled) {
    std::shuffle(order.begin(), order.end(), random);
  }
  std::uniform_int_distribution<int> any(0, graph->size() - 1);
  for (int k = 0; k < num_edges; ++k) {
    const int a = any(random);
    const int b = any(random);
    if (a != b) graph->Precede(order[std::min(a, b)], order[std::max(a, b)]);
  }
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_GRAPH_TASK_GRAPH_TEST_UTIL_H_
