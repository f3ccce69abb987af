// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The runtime beside OpenMP, oneTBB, rayon and std::async.
//
//   runtime_benchmark                  all rows, by Google Benchmark
//   runtime_benchmark --bars[=CASE]    the bars that the runtime is held to, by
//                                      medians of runs in turns; the exit
//                                      status is 1 if one is missed
//
// Cases: fibonacci task_graphs busy_tasks crossover team nested_loops idle.

#include <cstdio>
#include <cstring>
#include <string>

#include "bars.h"
#include "benchmark/benchmark.h"
#include "ceres/parallel/available_concurrency.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

const Case* const kCases[] = {&kFibonacci, &kTaskGraphs, &kBusyTasks,
                              &kCrossover, &kTeam,       &kNestedLoops,
                              &kIdle};

void TellWhichPeersAreMissing() {
#if !defined(_OPENMP)
  std::printf("OpenMP was not found: its rows are skipped.\n");
#endif
#if !defined(VESTA_HAVE_TBB)
  std::printf("oneTBB was not found: its rows are skipped.\n");
#endif
#if !defined(VESTA_HAVE_RAYON)
  std::printf(
      "rayon was not built: its rows are skipped (cmake "
      "-DVESTA_BENCHMARK_RAYON=ON, with cargo).\n");
#endif
}

int Judge(const std::string& chosen) {
  std::printf("%d cpus; medians of runs in turns\n",
              ceres::parallel::AvailableConcurrency());
  BarTable table;
  for (const Case* one : kCases) {
    if (!chosen.empty() && chosen != one->name) continue;
    ResetRetryTime();
    one->judge(table);
  }
  std::printf("%d of %d bars met\n", table.num_judged() - table.num_missed(),
              table.num_judged());
  if (table.num_disturbed() > 0) {
    std::printf(
        "%d of the missed bars could not be measured undisturbed: measure "
        "again\n",
        table.num_disturbed());
  }
  return table.num_missed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace vesta_benchmarks

int main(int argc, char** argv) {
  using vesta_benchmarks::kCases;
  constexpr const char* kBars = "--bars";
  vesta_benchmarks::TellWhichPeersAreMissing();
  if (argc > 1 && std::strncmp(argv[1], kBars, std::strlen(kBars)) == 0) {
    const char* const chosen = argv[1] + std::strlen(kBars);
    return vesta_benchmarks::Judge(*chosen == '=' ? chosen + 1 : chosen);
  }
  for (const vesta_benchmarks::Case* one : kCases) one->register_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
