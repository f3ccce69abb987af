// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Prints a table of the runtime beside OpenMP, oneTBB, rayon and std::async, by
// medians of runs in turns. Bars are met or missed; other rows are for
// comparison. The exit status is 1 if a bar is missed.
//
//   runtime_benchmark [--bars[=CASE]]      (default: all cases)
//
// Cases: fibonacci task_graphs busy_tasks crossover team nested_loops idle
// short_tasks kernels.

#include <cstdio>
#include <cstring>
#include <string>

#include "bars.h"
#include "ceres/parallel/available_concurrency.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

const Case* const kCases[] = {
    &kFibonacci,      &kTaskGraphs, &kBusyTasks,   &kCrossover,
    &kTeam,           &kIdle,       &kNestedLoops, &kShortLoops,
    &kRecursiveLoops, &kShortTasks, &kKernels,
};

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
  for (const Case* const one : kCases) {
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
  constexpr const char* kBars = "--bars";
  const std::string argument = argc > 1 ? argv[1] : kBars;
  if (argc > 2 || argument.compare(0, std::strlen(kBars), kBars) != 0) {
    std::fprintf(stderr, "Usage: %s [--bars[=CASE]]\n", argv[0]);
    return 2;
  }
  vesta_benchmarks::TellWhichPeersAreMissing();
  const std::string chosen = argument.substr(std::strlen(kBars));
  return vesta_benchmarks::Judge(chosen.empty() ? chosen : chosen.substr(1));
}
