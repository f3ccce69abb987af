// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The preprocessing of problems that are solved again and again: each time from
// nothing, or with what is kept from the solve before.
//
//   preprocessing_benchmark [graph.g2o ...] [--benchmark_filter=...]
//
// SolveAgain: a bundle adjustment that does not change. SolveGrowingGraph: the
// last poses of a random walk, and of the pose graphs in the files, are added
// one by one, each with its edges to earlier poses, and followed by a solve.
// Only the structure of the graphs counts.
//
// Counters: the preprocessing of a solve, in seconds; how many solves in a
// hundred computed an elimination order.

#include <deque>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"

namespace ceres::internal {
namespace {

enum class Preprocessing { kAfresh, kKept };

void BM_SolveAgain(benchmark::State& state, LinearSolverType solver,
                   Preprocessing preprocessing) {
  SmallBundle bundle(20, 5000, 1e-3);
  Solver::Options options;
  options.linear_solver_type = solver;
  options.max_num_iterations = 1;
  options.keep_preprocessing = preprocessing == Preprocessing::kKept;
  SolveWith(options, &bundle.problem);
  double seconds = 0.0;
  for (auto _ : state) {
    const Solver::Summary summary = SolveWith(options, &bundle.problem);
    seconds += summary.preprocessor_time_in_seconds;
    state.SetIterationTime(summary.total_time_in_seconds);
  }
  state.counters["preprocessing"] =
      benchmark::Counter(seconds, benchmark::Counter::kAvgIterations);
}

BENCHMARK_CAPTURE(BM_SolveAgain, DenseSchurAfresh, DENSE_SCHUR,
                  Preprocessing::kAfresh)
    ->UseManualTime();
BENCHMARK_CAPTURE(BM_SolveAgain, DenseSchurKept, DENSE_SCHUR,
                  Preprocessing::kKept)
    ->UseManualTime();
BENCHMARK_CAPTURE(BM_SolveAgain, NormalCholeskyAfresh, SPARSE_NORMAL_CHOLESKY,
                  Preprocessing::kAfresh)
    ->UseManualTime();
BENCHMARK_CAPTURE(BM_SolveAgain, NormalCholeskyKept, SPARSE_NORMAL_CHOLESKY,
                  Preprocessing::kKept)
    ->UseManualTime();

// By pose: the earlier poses that it has edges to.
using Graph = std::vector<std::vector<int>>;

// A random walk on a grid, with an edge to the last pose at the same place.
Graph RandomWalk(int num_poses) {
  constexpr int kSide = 40;
  std::mt19937 random(1);
  std::vector<int> last(kSide * kSide, -1);
  Graph graph(num_poses);
  int x = 0, y = 0;
  for (int i = 0; i < num_poses; ++i) {
    if (i > 0) graph[i].push_back(i - 1);
    int& before = last[x * kSide + y];
    if (before >= 0 && before < i - 1) graph[i].push_back(before);
    before = i;
    int& coordinate = random() % 2 == 0 ? x : y;
    coordinate = (coordinate + (random() % 2 == 0 ? 1 : kSide - 1)) % kSide;
  }
  return graph;
}

Graph ReadGraph(const char* path) {
  std::ifstream file(path);
  Graph graph;
  std::string line, tag;
  while (std::getline(file, line)) {
    std::pair<int, int> edge;
    std::istringstream words(line);
    if (!(words >> tag >> edge.first >> edge.second) ||
        tag.rfind("EDGE_SE", 0) != 0 || edge.first == edge.second) {
      continue;
    }
    if (edge.first > edge.second) std::swap(edge.first, edge.second);
    if (edge.second >= static_cast<int>(graph.size())) {
      graph.resize(edge.second + 1);
    }
    graph[edge.second].push_back(edge.first);
  }
  return graph;
}

class GrowingGraph {
 public:
  explicit GrowingGraph(const Graph& graph) : graph_(graph) {}

  Problem* problem() { return &problem_; }

  void AddPoses(int num_poses) {
    for (; num_poses > 0; --num_poses) {
      const int i = static_cast<int>(poses_.size());
      poses_.push_back(std::vector<double>(3, 0.0));
      problem_.AddParameterBlock(poses_[i].data(), 3);
      if (i == 0) problem_.SetParameterBlockConstant(poses_[0].data());
      for (const int before : graph_[i]) {
        problem_.AddResidualBlock(
            NewCost<3, 3, 3>([](const auto* a, const auto* b, auto* r) {
              for (int k = 0; k < 3; ++k) r[k] = b[k] - a[k] - 1.0;
            }),
            nullptr, poses_[before].data(), poses_[i].data());
      }
    }
  }

 private:
  const Graph& graph_;
  std::deque<std::vector<double>> poses_;
  Problem problem_;
};

constexpr int kNumAddedPoses = 200;

void BM_SolveGrowingGraph(benchmark::State& state, const Graph& graph,
                          Preprocessing preprocessing) {
  GrowingGraph growing(graph);
  growing.AddPoses(static_cast<int>(graph.size()) - kNumAddedPoses);
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.max_num_iterations = 0;
  options.keep_preprocessing = preprocessing == Preprocessing::kKept;
  SolveWith(options, growing.problem());
  double seconds = 0.0;
  int num_computed = 0;
  for (auto _ : state) {
    growing.AddPoses(1);
    const Solver::Summary summary = SolveWith(options, growing.problem());
    seconds += summary.preprocessor_time_in_seconds;
    num_computed += summary.preprocessing_was_extended ? 0 : 1;
    state.SetIterationTime(summary.total_time_in_seconds);
  }
  state.counters["preprocessing"] =
      benchmark::Counter(seconds, benchmark::Counter::kAvgIterations);
  state.counters["computed_percent"] = benchmark::Counter(
      100.0 * num_computed, benchmark::Counter::kAvgIterations);
}

void RegisterGrowingGraph(const std::string& name, const Graph& graph) {
  if (static_cast<int>(graph.size()) <= kNumAddedPoses) return;
  for (const auto preprocessing :
       {Preprocessing::kAfresh, Preprocessing::kKept}) {
    const bool is_kept = preprocessing == Preprocessing::kKept;
    benchmark::RegisterBenchmark(
        ("BM_SolveGrowingGraph/" + name + (is_kept ? "Kept" : "Afresh"))
            .c_str(),
        [graph, preprocessing](benchmark::State& state) {
          BM_SolveGrowingGraph(state, graph, preprocessing);
        })
        ->UseManualTime()
        ->Iterations(kNumAddedPoses);
  }
}

}  // namespace
}  // namespace ceres::internal

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  ceres::internal::RegisterGrowingGraph("RandomWalk",
                                        ceres::internal::RandomWalk(3500));
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const std::string file = path.substr(path.find_last_of('/') + 1);
    ceres::internal::RegisterGrowingGraph(file.substr(0, file.find('.')),
                                          ceres::internal::ReadGraph(argv[i]));
  }
  benchmark::RunSpecifiedBenchmarks();
}
