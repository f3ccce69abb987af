// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops and forks beside the serial loop, OpenMP and oneTBB.
//
//   parallel_for_benchmark           all of it, by Google Benchmark
//   parallel_for_benchmark --bars    our own against the serial loop, in turns;
//                                    fails if one of our bars is missed

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "ceres/base/clock.h"
#include "ceres/base/testing/interleaved_timing.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/blocked_range.h"
#include "tbb/parallel_for.h"
#include "tbb/parallel_invoke.h"
#include "tbb/task_arena.h"
#endif

namespace ceres::parallel {
namespace {

// One index of a loop with this much work in all.
struct Work {
  int n;
  int steps;  // A step takes one latency of a multiplication and an addition.
};

// Not inlined, so that no loop around it is vectorized in one form and not in
// another.
__attribute__((noinline)) double DoWork(double x, int steps) {
  for (int step = 0; step < steps; ++step) x = x * 0.999999 + 1e-6;
  return x;
}

void WorkSerial(double* data, const Work& work) {
  for (int i = 0; i < work.n; ++i) data[i] = DoWork(data[i], work.steps);
}

// So much work that the serial loop over n indices takes `nanoseconds`.
Work WorkOf(double nanoseconds, int n) {
  std::vector<double> data(n, 0.5);
  Work work{n, 1};
  double time = 0.0;
  do {
    work.steps += 1 + work.steps / 16;
    std::vector<double> times;
    for (int round = 0; round < 9; ++round) {
      times.push_back(
          TimePerCall(std::max(1, static_cast<int>(2e4 / nanoseconds)), [&] {
            WorkSerial(data.data(), work);
            benchmark::ClobberMemory();
          }));
    }
    time = *std::min_element(times.begin(), times.end());
  } while (time < nanoseconds);
  return work;
}

// ----- One store per index

void Store(int* data, int n) {
  for (int i = 0; i < n; ++i) data[i] = i;
}

void SchedulerSerial(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<int> data(n);
  for (auto _ : state) {
    Store(data.data(), n);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SchedulerSerial)->Arg(128)->Arg(256)->Arg(1024)->Arg(4096);

void StoreParallel(ThreadPool& pool, int* data, int n, int threads) {
  ParallelFor(pool, 0, n, [data](int i) { data[i] = i; }, {threads});
}

void SizesAndThreads(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{128, 256, 1024, 4096}, {1, 2, 4, 8, 16}})
      ->ArgNames({"n", "threads"});
}

void SchedulerBenchmark(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  ThreadPool pool(threads - 1);
  std::vector<int> data(n);
  for (auto _ : state) {
    StoreParallel(pool, data.data(), n, threads);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SchedulerBenchmark)->Apply(SizesAndThreads)->UseRealTime();

#if defined(_OPENMP)
void SchedulerOpenMp(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  std::vector<int> data(n);
  int* const p = data.data();
  for (auto _ : state) {
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < n; ++i) p[i] = i;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SchedulerOpenMp)->Apply(SizesAndThreads)->UseRealTime();
#endif

#if defined(VESTA_HAVE_TBB)
void SchedulerTbb(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const int threads = static_cast<int>(state.range(1));
  std::vector<int> data(n);
  int* const p = data.data();
  tbb::task_arena arena(threads);
  arena.execute([&] {
    for (auto _ : state) {
      tbb::parallel_for(0, n, [p](int i) { p[i] = i; });
      benchmark::ClobberMemory();
    }
  });
}
BENCHMARK(SchedulerTbb)->Apply(SizesAndThreads)->UseRealTime();
#endif

// ----- Loops of some microseconds, one after the other

constexpr int kWorkIndices = 64;

void WorkParallel(ThreadPool& pool, double* data, const Work& work) {
  ParallelFor(pool, 0, work.n, [data, steps = work.steps](int i) {
    data[i] = DoWork(data[i], steps);
  });
}

void LoopsInSequence(benchmark::State& state) {
  const Work work = WorkOf(1e3 * state.range(0), kWorkIndices);
  ThreadPool pool(static_cast<int>(state.range(1)) - 1);
  std::vector<double> data(work.n, 0.5);
  for (auto _ : state) {
    WorkParallel(pool, data.data(), work);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(LoopsInSequence)
    ->ArgsProduct({{2, 10, 100, 1000}, {1, 2, 4}})
    ->ArgNames({"microseconds", "threads"})
    ->UseRealTime();

#if defined(_OPENMP)
void LoopsInSequenceOpenMp(benchmark::State& state) {
  const Work work = WorkOf(1e3 * state.range(0), kWorkIndices);
  const int threads = static_cast<int>(state.range(1));
  std::vector<double> data(work.n, 0.5);
  double* const p = data.data();
  for (auto _ : state) {
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < work.n; ++i) p[i] = DoWork(p[i], work.steps);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(LoopsInSequenceOpenMp)
    ->ArgsProduct({{2, 10, 100, 1000}, {1, 2, 4}})
    ->ArgNames({"microseconds", "threads"})
    ->UseRealTime();
#endif

#if defined(VESTA_HAVE_TBB)
void LoopsInSequenceTbb(benchmark::State& state) {
  const Work work = WorkOf(1e3 * state.range(0), kWorkIndices);
  std::vector<double> data(work.n, 0.5);
  double* const p = data.data();
  tbb::task_arena arena(static_cast<int>(state.range(1)));
  arena.execute([&] {
    for (auto _ : state) {
      tbb::parallel_for(0, work.n,
                        [&](int i) { p[i] = DoWork(p[i], work.steps); });
      benchmark::ClobberMemory();
    }
  });
}
BENCHMARK(LoopsInSequenceTbb)
    ->ArgsProduct({{2, 10, 100, 1000}, {1, 2, 4}})
    ->ArgNames({"microseconds", "threads"})
    ->UseRealTime();
#endif

// ----- Fork and join

// Plain recursion, call by call: inlined into itself it would be another
// program.
__attribute__((noinline)) int Fibonacci(int n) {
  return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
}

__attribute__((noinline)) int ForkFibonacci(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  ParallelInvoke([&a, n] { a = ForkFibonacci(n - 1); },
                 [&b, n] { b = ForkFibonacci(n - 2); });
  return a + b;
}

int ForkFibonacciOn(ThreadPool& pool, int n) {
  int a = 0;
  int b = 0;
  ParallelInvoke(
      pool, [&a, n] { a = ForkFibonacci(n - 1); },
      [&b, n] { b = ForkFibonacci(n - 2); });
  return a + b;
}

// Not a constant, so that the compiler does not compute the result itself.
volatile int fibonacci_index = 30;

void FibonacciSerial(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Fibonacci(fibonacci_index));
}
BENCHMARK(FibonacciSerial)->Unit(benchmark::kMillisecond);

void FibonacciBenchmark(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)) - 1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ForkFibonacciOn(pool, fibonacci_index));
  }
}
BENCHMARK(FibonacciBenchmark)
    ->Arg(1)
    ->Arg(2)
    ->Arg(4)
    ->ArgName("threads")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

#if defined(VESTA_HAVE_TBB)
int TbbFibonacci(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  tbb::parallel_invoke([&] { a = TbbFibonacci(n - 1); },
                       [&] { b = TbbFibonacci(n - 2); });
  return a + b;
}

void FibonacciTbb(benchmark::State& state) {
  tbb::task_arena arena(static_cast<int>(state.range(0)));
  arena.execute([&] {
    for (auto _ : state) {
      benchmark::DoNotOptimize(TbbFibonacci(fibonacci_index));
    }
  });
}
BENCHMARK(FibonacciTbb)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
#endif

// ----- Our bars

bool JudgeScheduler() {
  bool met = true;
  for (const int threads : {1, 2, 4, 8, 16}) {
    ThreadPool pool(threads - 1);
    for (const int n : {128, 256, 1024, 4096}) {
      std::vector<int> data(n);
      const Comparison times = CompareInTurns(
          [&] {
            Store(data.data(), n);
            benchmark::ClobberMemory();
          },
          [&] {
            StoreParallel(pool, data.data(), n, threads);
            benchmark::ClobberMemory();
          });
      const double slack = std::max(10.0, 0.15 * times.baseline);
      met &= Judge("store n=" + std::to_string(n) +
                       " threads=" + std::to_string(threads),
                   times, times.baseline + slack);
    }
  }
  return met;
}

// Keeps the cpu until so much time has gone by.
__attribute__((noinline)) void Spend(detail::Ticks ticks) {
  const detail::Ticks end = detail::Now() + ticks;
  while (detail::Now() < end) {
  }
}

// So many ticks that a serial loop of kWorkIndices calls takes `nanoseconds`.
detail::Ticks TicksOf(double nanoseconds) {
  detail::Ticks ticks = 0;
  double time = 0.0;
  while (time < nanoseconds) {
    ++ticks;
    std::vector<double> times;
    for (int round = 0; round < 9; ++round) {
      times.push_back(TimePerCall(
          time > 0.0 ? std::max(1, static_cast<int>(2e4 / time)) : 1, [&] {
            for (int i = 0; i < kWorkIndices; ++i) Spend(ticks);
          }));
    }
    time = *std::min_element(times.begin(), times.end());
  }
  return ticks;
}

// Bodies timed by the clock: two virtual cpus may share the units of one, which
// slows down all bodies that compute, but not the clock. And consecutive serial
// loops of chained arithmetic overlap within a cpu, by up to 350 ns a loop,
// which no two threads that wait for each other can do. Such bodies are shown,
// too, but not judged.
bool JudgeSequences() {
  bool met = true;
  ThreadPool pool(1);
  struct Bar {
    int microseconds;
    double ratio;
  };
  for (const Bar bar : {Bar{2, 0.7}, Bar{10, 0.6}, Bar{100, 0.6}}) {
    const std::string name =
        "loops of " + std::to_string(bar.microseconds) + " us";
    const detail::Ticks ticks = TicksOf(1e3 * bar.microseconds);
    const Comparison clocked = CompareInTurns(
        [ticks] {
          for (int i = 0; i < kWorkIndices; ++i) Spend(ticks);
        },
        [&] {
          ParallelFor(pool, 0, kWorkIndices, [ticks](int) { Spend(ticks); });
        },
        61, 10e6);
    met &= Judge(name, clocked, bar.ratio * clocked.baseline);

    const Work work = WorkOf(1e3 * bar.microseconds, kWorkIndices);
    std::vector<double> data(work.n, 0.5);
    const Comparison chained = CompareInTurns(
        [&] {
          WorkSerial(data.data(), work);
          benchmark::ClobberMemory();
        },
        [&] {
          WorkParallel(pool, data.data(), work);
          benchmark::ClobberMemory();
        },
        61, 10e6);
    Show(name + ", chained arithmetic", chained);
  }
  return met;
}

bool JudgeFibonacci() {
  bool met = true;
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads - 1);
    const Comparison times = CompareInTurns(
        [] { benchmark::DoNotOptimize(Fibonacci(fibonacci_index)); },
        [&] {
          benchmark::DoNotOptimize(ForkFibonacciOn(pool, fibonacci_index));
        });
    met &= Judge("fibonacci(30) threads=" + std::to_string(threads), times,
                 (threads == 1 ? 4.0 : 2.0) * times.baseline);
  }
  return met;
}

bool JudgeAll() {
  const bool scheduler = JudgeScheduler();
  const bool sequences = JudgeSequences();
  const bool fibonacci = JudgeFibonacci();
  return scheduler && sequences && fibonacci;
}

}  // namespace
}  // namespace ceres::parallel

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--bars") == 0) {
    return ceres::parallel::JudgeAll() ? 0 : 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
