// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_GOOGLE_BENCHMARK_H_
#define VESTA_BENCHMARKS_RUNTIME_GOOGLE_BENCHMARK_H_

#include <functional>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

namespace vesta_benchmarks {

// Threads that every parallel row is measured with: one, one per cpu of the
// reference machine, and more than it has.
inline const std::vector<std::int64_t> kThreads = {1, 2, 4, 16};

// Registers "case/runtime" for each argument and number of threads. Making the
// runtime is not timed: `measure(state, argument, threads)` contains the loop
// over `state`.
template <typename Measure>
void RegisterRow(const std::string& name, const std::string& argument_name,
                 const std::vector<std::int64_t>& arguments,
                 const std::vector<std::int64_t>& threads,
                 const Measure& measure) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [measure](benchmark::State& state) {
                                 measure(state, state.range(0),
                                         static_cast<int>(state.range(1)));
                               })
      ->ArgsProduct({arguments, threads})
      ->ArgNames({argument_name, "threads"})
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_GOOGLE_BENCHMARK_H_
