// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fibonacci numbers by the doubly recursive definition, every call a task: what
// a fork and a future cost. 1.6 million calls at 30.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/parallel_invoke.h"
#endif

namespace vesta_benchmarks {
namespace {

using ceres::parallel::ThreadPool;

// Not inlined into itself, like the parallel forms (except for their test of
// n).
__attribute__((noinline)) std::int64_t Serial(int n) {
  return n < 2 ? n : Serial(n - 1) + Serial(n - 2);
}

// ----- Fork and join

std::int64_t VestaFork(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  ceres::parallel::ParallelInvoke([&a, n] { a = VestaFork(n - 1); },
                                  [&b, n] { b = VestaFork(n - 2); });
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

struct ForkAndJoin {
  std::int64_t operator()(Vesta& runtime, int n) const {
    std::int64_t a = 0;
    std::int64_t b = 0;
    ceres::parallel::ParallelInvoke(
        runtime.pool(), [&a, n] { a = VestaFork(n - 1); },
        [&b, n] { b = VestaFork(n - 2); });
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
};

// ----- Futures, and what comes nearest to them elsewhere

std::int64_t VestaFuture(ThreadPool& pool, int n) {
  if (n < 2) return n;
  auto a = ceres::parallel::Async(
      pool, [&pool, n] { return VestaFuture(pool, n - 1); });
  const std::int64_t b = VestaFuture(pool, n - 2);
  return a.Get() + b;
}

// ----- Groups, for one of the two calls or for both

template <bool kBoth>
std::int64_t VestaGroup(ThreadPool& pool, int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  ceres::parallel::TaskGroup group(pool);
  group.Run([&a, &pool, n] { a = VestaGroup<kBoth>(pool, n - 1); });
  if constexpr (kBoth) {
    group.Run([&b, &pool, n] { b = VestaGroup<kBoth>(pool, n - 2); });
  } else {
    b = VestaGroup<kBoth>(pool, n - 2);
  }
  group.Wait();
  return a + b;
}

#if defined(VESTA_HAVE_TBB)
template <bool kBoth>
std::int64_t TbbGroup(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
  tbb::task_group group;
  group.run([&a, n] { a = TbbGroup<kBoth>(n - 1); });
  if constexpr (kBoth) {
    group.run([&b, n] { b = TbbGroup<kBoth>(n - 2); });
  } else {
    b = TbbGroup<kBoth>(n - 2);
  }
  group.wait();
  return a + b;
}
#endif

#if defined(_OPENMP)
template <bool kBoth>
std::int64_t OmpTasks(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
#pragma omp task shared(a) firstprivate(n)
  a = OmpTasks<kBoth>(n - 1);
#pragma omp task shared(b) firstprivate(n) if (kBoth)
  b = OmpTasks<kBoth>(n - 2);
#pragma omp taskwait
  return a + b;
}
#endif

template <bool kBoth>
struct Groups {
  std::int64_t operator()(Vesta& runtime, int n) const {
    return VestaGroup<kBoth>(runtime.pool(), n);
  }
#if defined(VESTA_HAVE_TBB)
  std::int64_t operator()(Tbb& /*runtime*/, int n) const {
    return TbbGroup<kBoth>(n);
  }
#endif
#if defined(_OPENMP)
  std::int64_t operator()(OpenMp& /*runtime*/, int n) const {
    return OmpTasks<kBoth>(n);
  }
#endif
};

struct Futures {
  std::int64_t operator()(Vesta& runtime, int n) const {
    return VestaFuture(runtime.pool(), n);
  }
#if defined(VESTA_HAVE_TBB)
  std::int64_t operator()(Tbb& /*runtime*/, int n) const {
    return TbbGroup<false>(n);
  }
#endif
#if defined(VESTA_HAVE_RAYON)
  std::int64_t operator()(Rayon& /*runtime*/, int n) const {
    return vesta_rayon_fibonacci_scope(n);
  }
#endif
};

// ----- Measuring

// Not a constant, so that no compiler computes the result itself.
void Check(std::int64_t result, int n) {
  static const std::int64_t expected[2] = {Serial(27), Serial(30)};
  if (result == expected[n == 27 ? 0 : 1]) return;
  std::fprintf(stderr, "fibonacci(%d) came out as %lld\n", n,
               static_cast<long long>(result));
  std::abort();
}

Contestant SerialContestant(int n) {
  return [n](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) Check(Serial(n), n);
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

// The recursion of one thread is not judged by time: where the linker puts the
// plain recursion changes its time by a fifth. Its instructions are counted
// (scripts/measure.sh instructions).
void JudgeForks(BarTable& table, int n, int threads) {
  Vesta vesta(threads);
  TurnsOptions options;
  options.is_judged = threads > 1;
  const std::vector<double> times = TimeInTurns(
      {SerialContestant(n), ContestantOf<ForkAndJoin>(vesta, n)}, options);
  const std::string what = Label("fork-join over serial recursion", n, threads);
  if (options.is_judged) {
    table.AtMost(what, times[1] / times[0], 1.2, "x");
  } else {
    table.Tell(what, times[1] / times[0], "x");
  }
  table.Tell("serial", 1e-6 * times[0], "ms");
  table.Tell("vesta", 1e-6 * times[1], "ms");
  ForEachPeer([&](auto tag) {
    using R = typename decltype(tag)::Runtime;
    if constexpr (std::is_invocable_v<ForkAndJoin, R&, int>) {
      table.Tell(R::kName, MillisecondsOf<ForkAndJoin, R>(n, threads), "ms");
    }
  });
}

void JudgeFutures(BarTable& table, [[maybe_unused]] int n,
                  [[maybe_unused]] int threads) {
#if defined(VESTA_HAVE_TBB)
  TurnsOptions options;
  options.rounds = 9;
  options.is_judged = true;
  Vesta vesta(threads);
  Tbb tbb(threads);
  const std::vector<double> times = TimeInTurns(
      {ContestantOf<Futures>(tbb, n), ContestantOf<Futures>(vesta, n)},
      options);
  table.AtLeast(Label("futures, speed over oneTBB task_group", n, threads),
                times[0] / times[1], 2.0, "x");
  table.Tell("vesta", 1e-6 * times[1], "ms");
#else
  table.Tell("futures over oneTBB: not judged without oneTBB", 0.0, "");
#endif
}

template <bool kBoth>
void JudgeGroups(BarTable& table, int n, int threads) {
  Vesta vesta(threads);
  std::vector<Contestant> contestants = {ContestantOf<Groups<kBoth>>(vesta, n)};
  std::vector<const char*> names = {Vesta::kName};
#if defined(VESTA_HAVE_TBB)
  Tbb tbb(threads);
  contestants.push_back(ContestantOf<Groups<kBoth>>(tbb, n));
  names.push_back(Tbb::kName);
#endif
  TurnsOptions options;
  options.rounds = 9;
  options.is_judged = true;
  const std::vector<double> times = TimeInTurns(contestants, options);
#if defined(VESTA_HAVE_TBB)
  table.AtMost(Label(kBoth ? "group, both calls, time over oneTBB"
                           : "group, one call, time over oneTBB",
                     n, threads),
               times[0] / times[1], 0.5, "x");
#endif
  for (std::size_t k = 0; k < times.size(); ++k) {
    table.Tell(names[k], 1e-6 * times[k], "ms");
  }
#if defined(_OPENMP)
  table.Tell(OpenMp::kName, MillisecondsOf<Groups<kBoth>, OpenMp>(n, threads),
             "ms");
#endif
}

void JudgeFibonacci(BarTable& table) {
  constexpr int kIndex = 30;
  for (const int threads : {1, 2}) JudgeForks(table, kIndex, threads);
  for (const int threads : {1, 2}) JudgeFutures(table, kIndex, threads);
  constexpr int kIndexOfGroups = 27;
  for (const int threads : {1, 2}) {
    JudgeGroups<false>(table, kIndexOfGroups, threads);
    JudgeGroups<true>(table, kIndexOfGroups, threads);
  }
}

}  // namespace

const Case kFibonacci = {"fibonacci", JudgeFibonacci};

}  // namespace vesta_benchmarks
