// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_GRAPHS_H_
#define VESTA_BENCHMARKS_RUNTIME_GRAPHS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "ceres/parallel/task_graph.h"
#include "runtimes.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/flow_graph.h"
#endif

// Task graphs of the runtimes that have them, behind one face:
//   Graph graph(runtime);           within runtime.Enter
//   Graph::Node a = graph.Add(f);   f() is a task
//   graph.Precede(a, b);            a before b
//   graph.Run();                    once or more; returns when all have run

namespace vesta_benchmarks {

class VestaGraph {
 public:
  using Runtime = Vesta;
  using Node = ceres::parallel::TaskGraph::Task;
  explicit VestaGraph(Vesta& runtime) : pool_(runtime.pool()) {}

  template <typename F>
  Node Add(F f) {
    return graph_.Add(std::move(f));
  }
  void Precede(Node before, Node after) { before.Precede(after); }
  void Run() { graph_.Run(pool_); }

 private:
  ceres::parallel::ThreadPool& pool_;
  ceres::parallel::TaskGraph graph_;
};

#if defined(VESTA_HAVE_TBB)
class TbbGraph {
 public:
  using Runtime = Tbb;
  using Node = std::size_t;
  explicit TbbGraph(Tbb& /*runtime*/) {}

  template <typename F>
  Node Add(F f) {
    nodes_.emplace_back(
        graph_, [f = std::move(f)](const tbb::flow::continue_msg&) { f(); });
    is_root_.push_back(true);
    return nodes_.size() - 1;
  }
  void Precede(Node before, Node after) {
    tbb::flow::make_edge(nodes_[before], nodes_[after]);
    is_root_[after] = false;
  }
  void Run() {
    for (Node node = 0; node < nodes_.size(); ++node) {
      if (is_root_[node]) nodes_[node].try_put(tbb::flow::continue_msg());
    }
    graph_.wait_for_all();
  }

 private:
  tbb::flow::graph graph_;
  std::deque<tbb::flow::continue_node<tbb::flow::continue_msg>> nodes_;
  std::vector<bool> is_root_;
};
#endif  // VESTA_HAVE_TBB

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_GRAPHS_H_
