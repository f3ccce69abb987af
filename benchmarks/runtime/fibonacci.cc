// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fibonacci numbers by the doubly recursive definition, every call a task: what
// a fork, a future, and a wait for a condition cost. 1.6 million calls at 30.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bars.h"
#include "google_benchmark.h"
#include "places.h"
#include "runtimes.h"
#include "timing.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/parallel_invoke.h"
#endif

namespace vesta_benchmarks {
namespace {

using ceres::parallel::ThreadPool;

// Not inlined into itself, as the parallel ones cannot be (but for their test
// of n). GCC still turns the second call into a loop, so that half of the calls
// are left.
template <int kPlace = 0>
VESTA_IN_PLACE __attribute__((noinline)) std::int64_t Serial(int n) {
  Distinguish<kPlace>();
  return n < 2 ? n : Serial<kPlace>(n - 1) + Serial<kPlace>(n - 2);
}

// As the compiler likes it: some levels of the recursion in one function.
std::int64_t SerialInlined(int n) {
  return n < 2 ? n : SerialInlined(n - 1) + SerialInlined(n - 2);
}

// ----- Fork and join

template <int kPlace>
VESTA_IN_PLACE std::int64_t VestaFork(int n) {
  Distinguish<kPlace>();
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  ceres::parallel::ParallelInvoke([&a, n] { a = VestaFork<kPlace>(n - 1); },
                                  [&b, n] { b = VestaFork<kPlace>(n - 2); });
  return a + b;
}

#if defined(VESTA_HAVE_TBB)
std::int64_t TbbFork(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  tbb::parallel_invoke([&a, n] { a = TbbFork(n - 1); },
                       [&b, n] { b = TbbFork(n - 2); });
  return a + b;
}
#endif

#if defined(_OPENMP)
std::int64_t OpenMpTasks(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
#pragma omp task shared(a)
  a = OpenMpTasks(n - 1);
  b = OpenMpTasks(n - 2);
#pragma omp taskwait
  return a + b;
}
#endif

template <int kPlace>
struct ForkAndJoinInPlace {
  static constexpr const char* kName = "fork_join";
  std::int64_t operator()(Vesta& runtime, int n) const {
    std::int64_t a = 0;
    std::int64_t b = 0;
    ceres::parallel::ParallelInvoke(
        runtime.pool(), [&a, n] { a = VestaFork<kPlace>(n - 1); },
        [&b, n] { b = VestaFork<kPlace>(n - 2); });
    return a + b;
  }
#if defined(VESTA_HAVE_TBB)
  std::int64_t operator()(Tbb& /*runtime*/, int n) const { return TbbFork(n); }
#endif
#if defined(VESTA_HAVE_RAYON)
  std::int64_t operator()(Rayon& /*runtime*/, int n) const {
    return vesta_rayon_fibonacci_join(n);
  }
#endif
#if defined(_OPENMP)
  std::int64_t operator()(OpenMp& /*runtime*/, int n) const {
    return OpenMpTasks(n);
  }
#endif
};

using ForkAndJoin = ForkAndJoinInPlace<0>;

// ----- Futures, and what comes nearest to them elsewhere

std::int64_t VestaFuture(ThreadPool& pool, int n) {
  if (n < 2) return n;
  auto a = ceres::parallel::Async(
      pool, [&pool, n] { return VestaFuture(pool, n - 1); });
  const std::int64_t b = VestaFuture(pool, n - 2);
  return a.get() + b;
}

#if defined(VESTA_HAVE_TBB)
std::int64_t TbbGroup(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  tbb::task_group group;
  group.run([&a, n] { a = TbbGroup(n - 1); });
  const std::int64_t b = TbbGroup(n - 2);
  group.wait();
  return a + b;
}
#endif

struct Futures {
  static constexpr const char* kName = "futures";
  std::int64_t operator()(Vesta& runtime, int n) const {
    return VestaFuture(runtime.pool(), n);
  }
#if defined(VESTA_HAVE_TBB)
  std::int64_t operator()(Tbb& /*runtime*/, int n) const { return TbbGroup(n); }
#endif
#if defined(VESTA_HAVE_RAYON)
  std::int64_t operator()(Rayon& /*runtime*/, int n) const {
    return vesta_rayon_fibonacci_scope(n);
  }
#endif
};

// A thread a call: only the outer calls are tasks.
std::int64_t StdAsyncFuture(int n, int cutoff) {
  if (n < cutoff) return Serial(n);
  std::future<std::int64_t> a =
      std::async(std::launch::async, StdAsyncFuture, n - 1, cutoff);
  const std::int64_t b = StdAsyncFuture(n - 2, cutoff);
  return a.get() + b;
}

// ----- Tasks that nobody owns, and a wait until a flag is set

std::int64_t VestaCondition(ThreadPool& pool, int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::atomic<bool> done{false};
  ceres::parallel::Detach(pool, [&pool, &a, &done, n] {
    a = VestaCondition(pool, n - 1);
    done.store(true, std::memory_order_release);
  });
  const std::int64_t b = VestaCondition(pool, n - 2);
  ceres::parallel::HelpUntil(
      pool, [&done] { return done.load(std::memory_order_acquire); });
  return a + b;
}

struct Condition {
  static constexpr const char* kName = "condition";
  std::int64_t operator()(Vesta& runtime, int n) const {
    return VestaCondition(runtime.pool(), n);
  }
#if defined(VESTA_HAVE_RAYON)
  std::int64_t operator()(Rayon& /*runtime*/, int n) const {
    return vesta_rayon_fibonacci_condition(n);
  }
#endif
};

// ----- Measuring

// Not a constant, so that no compiler computes the result itself.
void Check(std::int64_t result, int n) {
  static const std::int64_t expected[2] = {Serial(25), Serial(30)};
  const bool wrong = (n == 25 && result != expected[0]) ||
                     (n == 30 && result != expected[1]) || result < n;
  if (!wrong) return;
  std::fprintf(stderr, "fibonacci(%d) came out as %lld\n", n,
               static_cast<long long>(result));
  std::abort();
}

Contestant SerialContestant(int n, std::int64_t (*fibonacci)(int)) {
  return [n, fibonacci](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) Check(fibonacci(n), n);
  };
}

template <typename Form, typename R>
Contestant ContestantOf(R& runtime, int n) {
  return [&runtime, n](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        Check(Form()(runtime, n), n);
      }
    });
  };
}

template <typename Form>
void RegisterForm() {
  ForEachRuntime([](auto tag) {
    using R = typename decltype(tag)::Runtime;
    if constexpr (std::is_invocable_v<Form, R&, int>) {
      // What takes a microsecond a task is not run 30 million times.
      const bool slow = std::string(R::kName) == "openmp";
      RegisterRow(std::string("fibonacci/") + Form::kName + "/" + R::kName, "n",
                  slow ? std::vector<std::int64_t>{25}
                       : std::vector<std::int64_t>{25, 30, 35},
                  kThreads,
                  [](benchmark::State& state, std::int64_t n, int threads) {
                    R runtime(threads);
                    runtime.Enter([&] {
                      for (auto _ : state) {
                        Check(Form()(runtime, static_cast<int>(n)),
                              static_cast<int>(n));
                      }
                    });
                  });
    }
  });
}

void RegisterFibonacci() {
  RegisterRow("fibonacci/serial", "n", {25, 30, 35}, {1},
              [](benchmark::State& state, std::int64_t n, int /*threads*/) {
                for (auto _ : state) {
                  Check(Serial(static_cast<int>(n)), static_cast<int>(n));
                }
              });
  RegisterForm<ForkAndJoin>();
  RegisterForm<Futures>();
  RegisterForm<Condition>();
  // Some 20 threads.
  RegisterRow("fibonacci/futures_cut_off/std_async", "n", {25}, {1},
              [](benchmark::State& state, std::int64_t n, int /*threads*/) {
                for (auto _ : state) {
                  Check(StdAsyncFuture(static_cast<int>(n), 20),
                        static_cast<int>(n));
                }
              });
}

std::string Label(const std::string& form, int n, int threads) {
  return "fibonacci/" + std::to_string(n) + " " + form + ", " +
         std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

template <typename Form, typename R>
double MillisecondsOf(int n, int threads) {
  R runtime(threads);
  TurnsOptions options;
  options.rounds = 5;
  return 1e-6 * TimeInTurns({ContestantOf<Form>(runtime, n)}, options)[0];
}

template <int... kPlace>
std::vector<double> TimeForks(Vesta& vesta, int n, const TurnsOptions& options,
                              std::integer_sequence<int, kPlace...>) {
  return TimeGroupsInTurns(
      {{SerialContestant(n, Serial<kPlace>)...},
       {ContestantOf<ForkAndJoinInPlace<kPlace>>(vesta, n)...},
       {SerialContestant(n, SerialInlined)}},
      options);
}

void JudgeForks(BarTable& table, int n, int threads) {
  Vesta vesta(threads);
  TurnsOptions options;
  options.rounds = n > 30 ? 7 : 15;
  options.is_judged = true;
  const std::vector<double> times =
      TimeForks(vesta, n, options, std::make_integer_sequence<int, kPlaces>());
  table.AtMost(Label("fork-join over serial recursion", n, threads),
               times[1] / times[0], threads == 1 ? 2.0 : 1.0, "x");
  if (n == 30) {
    table.Tell("serial", 1e-6 * times[0], "ms");
    table.Tell("serial, inlined into itself", 1e-6 * times[2], "ms");
    table.Tell("vesta", 1e-6 * times[1], "ms");
    ForEachPeer([&](auto tag) {
      using R = typename decltype(tag)::Runtime;
      if (std::string(R::kName) == "openmp") return;  // Takes a second.
      table.Tell(R::kName, MillisecondsOf<ForkAndJoin, R>(n, threads), "ms");
    });
  }
}

void JudgeFutures(BarTable& table, [[maybe_unused]] int n,
                  [[maybe_unused]] int threads) {
#if defined(VESTA_HAVE_TBB)
  TurnsOptions options;
  options.rounds = n > 30 ? 3 : 9;
  options.is_judged = true;
  Vesta vesta(threads);
  Tbb tbb(threads);
  const std::vector<double> times = TimeInTurns(
      {ContestantOf<Futures>(tbb, n), ContestantOf<Futures>(vesta, n)},
      options);
  table.AtLeast(Label("futures, speed over oneTBB task_group", n, threads),
                times[0] / times[1], 2.0, "x");
  if (n == 30) table.Tell("vesta", 1e-6 * times[1], "ms");
#else
  table.Tell("futures over oneTBB: not judged without oneTBB", 0.0, "");
#endif
}

void TellCondition(BarTable& table, int n, int threads) {
  table.Tell(Label("wait for a condition", n, threads) + ": vesta",
             MillisecondsOf<Condition, Vesta>(n, threads), "ms");
#if defined(VESTA_HAVE_RAYON)
  table.Tell("rayon, spawn and yield_now",
             MillisecondsOf<Condition, Rayon>(n, threads), "ms");
#endif
}

void TellOversubscribed(BarTable& table, int threads) {
  constexpr int kIndex = 30;
  table.Tell(Label("fork-join", kIndex, threads) + ": vesta",
             MillisecondsOf<ForkAndJoin, Vesta>(kIndex, threads), "ms");
  table.Tell(Label("futures", kIndex, threads) + ": vesta",
             MillisecondsOf<Futures, Vesta>(kIndex, threads), "ms");
#if defined(VESTA_HAVE_TBB)
  table.Tell("tbb task_group", MillisecondsOf<Futures, Tbb>(kIndex, threads),
             "ms");
#endif
}

void TellStdAsync(BarTable& table) {
  const Contestant std_async = [](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      Check(StdAsyncFuture(25, 20), 25);
    }
  };
  table.Tell("fibonacci/25 std::async, serial below 20",
             1e-6 * TimeInTurns({std_async})[0], "ms");
}

void JudgeFibonacci(BarTable& table) {
  for (const int n : {25, 30, 35}) {
    for (const int threads : {1, 2}) JudgeForks(table, n, threads);
  }
  for (const int n : {25, 30, 35}) {
    for (const int threads : {1, 2}) JudgeFutures(table, n, threads);
  }
  for (const int threads : {1, 2}) TellCondition(table, 30, threads);
  for (const int threads : {4, 16}) TellOversubscribed(table, threads);
  TellStdAsync(table);
}

}  // namespace

const Case kFibonacci = {"fibonacci", RegisterFibonacci, JudgeFibonacci};

}  // namespace vesta_benchmarks
