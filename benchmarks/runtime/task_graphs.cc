// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Task graphs: a chain, a binary tree, a wavefront and a random graph.
// Building, running and freeing are all timed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bars.h"
#include "ceres/parallel/task_graph.h"
#include "runtimes.h"
#include "timing.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/flow_graph.h"
#endif

namespace vesta_benchmarks {
namespace {

// Task graphs of the runtimes that have them, behind one face:
//   Graph graph(runtime);           within runtime.Enter
//   Graph::Node a = graph.Add(f);   f() is a task
//   graph.Precede(a, b);            a before b
//   graph.Run();                    once or more; returns when all have run

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

void Abort(const char* what) {
  std::fprintf(stderr, "%s came out wrong\n", what);
  std::abort();
}

// ----- A chain: each task counts, so that order and number are seen

template <typename Graph>
void RunChain(typename Graph::Runtime& runtime, std::int64_t length) {
  std::int64_t count = 0;
  {
    Graph graph(runtime);
    const auto task = [&count] { ++count; };
    typename Graph::Node last = graph.Add(task);
    for (std::int64_t k = 1; k < length; ++k) {
      const typename Graph::Node next = graph.Add(task);
      graph.Precede(last, next);
      last = next;
    }
    graph.Run();
  }
  if (count != length) Abort("linear_chain");
}

// ----- Any graph: a task of level 1 + the highest of its predecessors

struct Dag {
  const char* name;
  std::vector<std::int32_t> first;         // Of node k, in `predecessors`.
  std::vector<std::int32_t> predecessors;  // Smaller than their node.

  std::int32_t size() const {
    return static_cast<std::int32_t>(first.size()) - 1;
  }
  void EndNode() {
    first.push_back(static_cast<std::int32_t>(predecessors.size()));
  }
};

Dag BinaryTree(int levels) {
  Dag dag{"binary_tree", {0, 0}, {}};
  const std::int32_t nodes = (std::int32_t{1} << levels) - 1;
  for (std::int32_t k = 1; k < nodes; ++k) {
    dag.predecessors.push_back((k - 1) / 2);
    dag.EndNode();
  }
  return dag;
}

Dag Wavefront(std::int32_t side) {
  Dag dag{"wavefront", {0}, {}};
  for (std::int32_t row = 0; row < side; ++row) {
    for (std::int32_t column = 0; column < side; ++column) {
      const std::int32_t k = row * side + column;
      if (row > 0) dag.predecessors.push_back(k - side);
      if (column > 0) dag.predecessors.push_back(k - 1);
      dag.EndNode();
    }
  }
  return dag;
}

// Up to four predecessors each, among the 1000 nodes before.
Dag RandomDag(std::int32_t nodes) {
  Dag dag{"graph_traversal", {0}, {}};
  std::uint64_t state = 1;
  const auto draw = [&state](std::int32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int32_t>((state >> 33) %
                                     static_cast<std::uint64_t>(n));
  };
  for (std::int32_t k = 0; k < nodes; ++k) {
    const std::int32_t window = std::min(k, 1000);
    for (int edge = window > 0 ? draw(5) : 0; edge > 0; --edge) {
      dag.predecessors.push_back(k - 1 - draw(window));
    }
    const auto begin = dag.predecessors.begin() + dag.first.back();
    std::sort(begin, dag.predecessors.end());
    dag.predecessors.erase(std::unique(begin, dag.predecessors.end()),
                           dag.predecessors.end());
    dag.EndNode();
  }
  return dag;
}

// A run: the levels found so far.
struct Traversal {
  Traversal(const Dag& the_dag, double node_nanoseconds)
      : dag(the_dag),
        nanoseconds(node_nanoseconds),
        level(static_cast<std::size_t>(the_dag.size())) {}

  void Visit(std::int32_t node) {
    std::int32_t highest = 0;
    for (std::int32_t e = dag.first[node]; e < dag.first[node + 1]; ++e) {
      highest = std::max(highest, level[dag.predecessors[e]]);
    }
    WorkByClock(nanoseconds);
    level[node] = highest + 1;
  }
  void VisitAllSerially() {
    for (std::int32_t node = 0; node < dag.size(); ++node) Visit(node);
  }

  const Dag& dag;
  double nanoseconds;  // Of work in each node.
  std::vector<std::int32_t> level;
};

void Check(Traversal& traversal) {
  Traversal reference(traversal.dag, 0.0);
  reference.VisitAllSerially();
  if (traversal.level != reference.level) Abort(traversal.dag.name);
}

template <typename Graph>
void Build(Graph& graph, Traversal& traversal) {
  const Dag& dag = traversal.dag;
  std::vector<typename Graph::Node> nodes;
  nodes.reserve(static_cast<std::size_t>(dag.size()));
  for (std::int32_t node = 0; node < dag.size(); ++node) {
    nodes.push_back(graph.Add([&traversal, node] { traversal.Visit(node); }));
    for (std::int32_t e = dag.first[node]; e < dag.first[node + 1]; ++e) {
      graph.Precede(nodes[dag.predecessors[e]], nodes.back());
    }
  }
}

template <typename Graph>
void BuildAndRun(typename Graph::Runtime& runtime, Traversal& traversal) {
  Graph graph(runtime);
  Build(graph, traversal);
  graph.Run();
}

// Visits the graphs that are built.
template <typename Visitor>
void ForEachGraph(const Visitor& visit) {
  visit(RuntimeTag<VestaGraph>());
#if defined(VESTA_HAVE_TBB)
  visit(RuntimeTag<TbbGraph>());
#endif
}

// ----- Judging

template <typename Graph>
Contestant ChainContestant(typename Graph::Runtime& runtime, int log2_length) {
  return [&runtime, log2_length](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        RunChain<Graph>(runtime, std::int64_t{1} << log2_length);
      }
    });
  };
}

template <typename Graph>
double NanosecondsOfChainNode(int threads, int log2_length) {
  typename Graph::Runtime runtime(threads);
  TurnsOptions options;
  options.rounds = 7;
  return TimeInTurns({ChainContestant<Graph>(runtime, log2_length)},
                     options)[0] /
         static_cast<double>(std::int64_t{1} << log2_length);
}

void TellChains(BarTable& table) {
  const std::string what =
      "linear_chain/2^20 a node, built, run, freed, 2 threads: ";
  ForEachGraph([&](auto tag) {
    using Graph = typename decltype(tag)::Runtime;
    table.Tell(what + Graph::Runtime::kName,
               NanosecondsOfChainNode<Graph>(2, 20), "ns");
  });
}

template <typename Graph>
Contestant DagContestant(typename Graph::Runtime& runtime,
                         Traversal& traversal) {
  return [&runtime, &traversal](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        BuildAndRun<Graph>(runtime, traversal);
      }
    });
  };
}

Contestant SerialContestant(Traversal& traversal) {
  return [&traversal](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      traversal.VisitAllSerially();
    }
  };
}

// With 10 us of work in each node, against work / threads (or the longest path,
// if that is more).
void JudgeEfficiency(BarTable& table, const Dag& dag) {
  constexpr int kTeam = 2;
  constexpr double kNodeNanoseconds = 10e3;
  ForEachGraph([&](auto tag) {
    using Graph = typename decltype(tag)::Runtime;
    using R = typename Graph::Runtime;
    R runtime(kTeam);
    TurnsOptions options;
    options.rounds = 7;
    options.is_judged = std::is_same_v<Graph, VestaGraph>;
    Traversal traversal(dag, kNodeNanoseconds);
    const std::vector<double> times = TimeInTurns(
        {SerialContestant(traversal), DagContestant<Graph>(runtime, traversal)},
        options);
    Check(traversal);
    const double path =
        *std::max_element(traversal.level.begin(), traversal.level.end());
    const double ideal =
        std::max(times[0] / kTeam, times[0] * path / dag.size());
    const double efficiency = 100.0 * ideal / times[1];
    if constexpr (std::is_same_v<Graph, VestaGraph>) {
      table.AtLeast(
          std::string(dag.name) + ", nodes of 10 us, 2 threads: efficiency",
          efficiency, 90.0, "%");
    } else {
      table.Tell(R::kName, efficiency, "%");
    }
  });
}

void JudgeTaskGraphs(BarTable& table) {
  TellChains(table);
  for (const Dag& dag : {BinaryTree(10), Wavefront(32), RandomDag(2000)}) {
    JudgeEfficiency(table, dag);
  }
}

}  // namespace

const Case kTaskGraphs = {"task_graphs", JudgeTaskGraphs};

}  // namespace vesta_benchmarks
