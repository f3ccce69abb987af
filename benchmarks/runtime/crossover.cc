// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops that count to n, one after the other: the time of two threads over that
// of a plain loop, for each runtime. What a short loop adds to a plain one is
// counted in instructions (scripts/measure.sh instructions).

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/blocked_range.h"
#endif

namespace vesta_benchmarks {
namespace {

const std::vector<std::int64_t> kSizes = {128,   1024,   4096,
                                          16384, 131072, 1048576};

// A step takes the latency of one addition, however the loop is unrolled.
inline std::int64_t CountSteps(std::int64_t begin, std::int64_t end) {
  std::int64_t count = 0;
  for (std::int64_t k = begin; k < end; ++k) {
    ++count;
    asm volatile("" : "+r"(count));
  }
  return count;
}

// The compiler must compute the value.
void KeepAlive(std::int64_t value) { asm volatile("" : : "r"(value)); }

void Count(Vesta& runtime, std::int64_t n) {
  ceres::parallel::ParallelFor(runtime.pool(), std::int64_t{0}, n,
                               [](ceres::parallel::IndexRange block) {
                                 KeepAlive(CountSteps(block.begin, block.end));
                               });
}

#if defined(VESTA_HAVE_TBB)
void Count(Tbb& /*runtime*/, std::int64_t n) {
  using Range = tbb::blocked_range<std::int64_t>;
  tbb::parallel_for(Range(0, n), [](const Range& block) {
    KeepAlive(CountSteps(block.begin(), block.end()));
  });
}
#endif

#if defined(VESTA_HAVE_RAYON)
void Count(Rayon& /*runtime*/, std::int64_t n) { vesta_rayon_count(n); }
#endif

#if defined(_OPENMP)
void Count(OpenMp& runtime, std::int64_t n) {
  const int threads = runtime.threads();
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t rank = omp_get_thread_num();
    const std::int64_t team = omp_get_num_threads();
    KeepAlive(CountSteps(n * rank / team, n * (rank + 1) / team));
  }
}
#endif

Contestant SerialContestant(std::int64_t n) {
  return [n](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      KeepAlive(CountSteps(0, n));
    }
  };
}

template <typename R>
Contestant ContestantOf(R& runtime, std::int64_t n) {
  return [&runtime, n](std::int64_t calls) {
    runtime.EnterLoops([&] {
      for (std::int64_t call = 0; call < calls; ++call) Count(runtime, n);
    });
  };
}

void JudgeCrossover(BarTable& table) {
  for (const std::int64_t n : kSizes) {
    ForEachRuntime([&table, n](auto tag) {
      using R = typename decltype(tag)::Runtime;
      constexpr bool kIsOurs = std::is_same_v<R, Vesta>;
      R runtime(2);
      TurnsOptions options;
      options.is_judged = kIsOurs && n == kSizes.back();
      const std::vector<double> times =
          TimeInTurns({SerialContestant(n), ContestantOf(runtime, n)}, options);
      const std::string what = "counting to " + std::to_string(n) +
                               ", 2 threads, speed-up: " + R::kName;
      const double speed_up = times[0] / times[1];
      if (options.is_judged) {
        table.AtLeast(what, speed_up, 1.6, "x");
      } else {
        table.Tell(what, speed_up, "x");
      }
    });
  }
}

}  // namespace

const Case kCrossover = {"crossover", JudgeCrossover};

}  // namespace vesta_benchmarks
