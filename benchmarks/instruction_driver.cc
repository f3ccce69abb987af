// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Repeats one operation, for scripts/measure.sh instructions:
//
//   instruction_driver CASE REPETITIONS
//
// All cases run in the calling thread, on a pool without workers, so that the
// number of instructions does not depend on the scheduler. Uses public headers
// only.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/parallel/parallel.h"

namespace {

using ceres::parallel::ThreadPool;

// One store an index.
template <int kIndices>
void Loop(ThreadPool& pool) {
  static std::vector<int> values(kIndices);
  int* const data = values.data();
  ceres::parallel::ParallelFor(pool, 0, kIndices, [data](int i) {
    data[i] = i;
    asm volatile("" : : "r"(data) : "memory");
  });
}

void Fork(ThreadPool& pool) {
  volatile int sum[2] = {0, 0};
  ceres::parallel::ParallelInvoke(
      pool, [&sum] { sum[0] = 1; }, [&sum] { sum[1] = 1; });
}

void Task(ThreadPool& pool) {
  volatile int value = 0;
  ceres::parallel::Async(pool, [&value] { value = 1; }).Get();
}

void GraphNodes(ThreadPool& pool) {
  constexpr int kNodes = 100;
  volatile int count = 0;
  ceres::parallel::TaskGraph graph;
  auto last = graph.Add([&count] { count = count + 1; });
  for (int k = 1; k < kNodes; ++k) {
    auto next = graph.Add([&count] { count = count + 1; });
    last.Precede(next);
    last = next;
  }
  graph.Run(pool);
}

void EmptySolve(ThreadPool& /*pool*/) {
  ceres::Problem problem;
  ceres::Solver::Options options;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
}

struct Case {
  const char* name;
  void (*run)(ThreadPool& pool);
};

constexpr Case kCases[] = {{"loop_16", Loop<16>},
                           {"loop_128", Loop<128>},
                           {"loop_1024", Loop<1024>},
                           {"fork", Fork},
                           {"task", Task},
                           {"graph_of_100_nodes", GraphNodes},
                           {"empty_solve", EmptySolve}};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& one : kCases) {
    if (argc != 3 || std::strcmp(argv[1], one.name) != 0) continue;
    ThreadPool pool(0);
    const std::int64_t repetitions = std::atoll(argv[2]);
    for (std::int64_t k = 0; k < repetitions; ++k) one.run(pool);
    return 0;
  }
  std::fprintf(stderr, "Usage: instruction_driver CASE REPETITIONS\nCases:");
  for (const Case& one : kCases) std::fprintf(stderr, " %s", one.name);
  std::fprintf(stderr, "\n");
  return 2;
}
