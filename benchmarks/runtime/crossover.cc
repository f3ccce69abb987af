// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Counting to n: from which n do two threads gain, and how much is lost where
// they do not? Loops follow each other, as in an iterative method.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bars.h"
#include "ceres/parallel/parallel_reduce.h"
#include "google_benchmark.h"
#include "places.h"
#include "runtimes.h"
#include "timing.h"

#if defined(VESTA_HAVE_TBB)
#include "tbb/blocked_range.h"
#endif

namespace vesta_benchmarks {
namespace {

constexpr double kGain = 1.3;

// Three clock cycles: 3 % of a loop of 10 ns would be one, less than a
// comparison takes. What is forgiven is told. Only loops of less than 50 ns are
// forgiven so much.
constexpr double kForgivenNanoseconds = 1.0;

// Lengths of n - 7 to n, the same ones for all contestants. Of loops that all
// have the same length, cpus learn when they end, up to a length that depends
// on the code around them: by 7 ns, in either direction, a benchmark of that
// would tell how well the end was guessed.
class Lengths {
 public:
  explicit Lengths(std::int64_t n) : n_(n) {}

  std::int64_t Next() {
    state_ = state_ * 1664525u + 1013904223u;
    return n_ - (state_ >> 29);
  }

 private:
  const std::int64_t n_;
  std::uint32_t state_ = 0;
};

// A step takes the latency of one addition, however the loop is unrolled.
inline std::int64_t CountSteps(std::int64_t begin, std::int64_t end) {
  std::int64_t count = 0;
  for (std::int64_t k = begin; k < end; ++k) {
    ++count;
    asm volatile("" : "+r"(count));
  }
  return count;
}

// Above this length one place is enough.
constexpr std::int64_t kLongestAtPlaces = 64;

template <int kPlace>
VESTA_IN_PLACE __attribute__((noinline)) void CountSerially(std::int64_t n) {
  Distinguish<kPlace>();
  benchmark::DoNotOptimize(CountSteps(0, n));
}

void Count(Vesta& runtime, std::int64_t n) {
  ceres::parallel::ParallelFor(
      runtime.pool(), std::int64_t{0}, n,
      [](ceres::parallel::IndexRange block) {
        benchmark::DoNotOptimize(CountSteps(block.begin, block.end));
      });
}

#if defined(VESTA_HAVE_TBB)
void Count(Tbb& /*runtime*/, std::int64_t n) {
  using Range = tbb::blocked_range<std::int64_t>;
  tbb::parallel_for(Range(0, n), [](const Range& block) {
    benchmark::DoNotOptimize(CountSteps(block.begin(), block.end()));
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
    benchmark::DoNotOptimize(
        CountSteps(n * rank / team, n * (rank + 1) / team));
  }
}
#endif

void CountByReduction(Vesta& runtime, std::int64_t n) {
  benchmark::DoNotOptimize(ceres::parallel::ParallelReduce(
      runtime.pool(), std::int64_t{0}, n, std::int64_t{0},
      [](ceres::parallel::IndexRange block) {
        return CountSteps(block.begin, block.end);
      },
      [](std::int64_t a, std::int64_t b) { return a + b; }));
}

template <int kPlace>
Contestant SerialContestant(std::int64_t n) {
  return [n](std::int64_t calls) {
    Lengths lengths(n);
    for (std::int64_t call = 0; call < calls; ++call) {
      CountSerially<kPlace>(lengths.Next());
    }
  };
}

// As CountSerially, a function that is called.
template <int kPlace, typename R>
VESTA_IN_PLACE __attribute__((noinline)) void CountTogether(R& runtime,
                                                            std::int64_t n) {
  Distinguish<kPlace>();
  Count(runtime, n);
}

template <int kPlace, typename R>
Contestant ContestantOf(R& runtime, std::int64_t n) {
  return [&runtime, n](std::int64_t calls) {
    runtime.EnterLoops([&] {
      Lengths lengths(n);
      for (std::int64_t call = 0; call < calls; ++call) {
        CountTogether<kPlace>(runtime, lengths.Next());
      }
    });
  };
}

Contestant ReductionContestant(Vesta& runtime, std::int64_t n) {
  return [&runtime, n](std::int64_t calls) {
    Lengths lengths(n);
    for (std::int64_t call = 0; call < calls; ++call) {
      CountByReduction(runtime, lengths.Next());
    }
  };
}

void RegisterCrossover() {
  const std::vector<std::int64_t> sizes = {16,    128,    1024,   4096,
                                           16384, 131072, 1048576};
  RegisterRow("crossover/serial", "n", sizes, {1},
              [](benchmark::State& state, std::int64_t n, int /*threads*/) {
                for (auto _ : state) CountSerially<0>(n);
              });
  ForEachRuntime([&sizes](auto tag) {
    using R = typename decltype(tag)::Runtime;
    RegisterRow(std::string("crossover/") + R::kName, "n", sizes, kThreads,
                [](benchmark::State& state, std::int64_t n, int threads) {
                  R runtime(threads);
                  runtime.EnterLoops([&] {
                    for (auto _ : state) Count(runtime, n);
                  });
                });
  });
}

// ----- Judging

struct Point {
  std::int64_t n;
  double serial;  // Nanoseconds.
  double parallel;
};

// 8 to 2 million, by factors of sqrt(2).
std::vector<std::int64_t> Sizes() {
  std::vector<std::int64_t> sizes;
  for (int k = 6; k <= 42; ++k) {
    sizes.push_back(std::llround(std::exp2(0.5 * k)));
  }
  return sizes;
}

// Rounds of a first look, which finds what is to be judged by many more.
constexpr int kFewRounds = 15;
constexpr int kManyRounds = 61;

TurnsOptions Turns(int rounds) {
  TurnsOptions options;
  options.rounds = rounds;
  options.round_seconds = 2e-3;
  options.is_judged = rounds == kManyRounds;
  return options;
}

// Each of the two at one or several places.
Point Measure(std::int64_t n, const TurnsOptions& options,
              const std::vector<Contestant>& serial,
              const std::vector<Contestant>& parallel) {
  const std::vector<double> times =
      TimeGroupsInTurns({serial, parallel}, options);
  return {n, times[0], times[1]};
}

template <int... kPlace>
Point MeasureAtPlaces(Vesta& runtime, std::int64_t n, int rounds,
                      std::integer_sequence<int, kPlace...>) {
  return Measure(n, Turns(rounds), {SerialContestant<kPlace>(n)...},
                 {ContestantOf<kPlace>(runtime, n)...});
}

template <typename R>
Point MeasureRuntime(R& runtime, std::int64_t n, int rounds) {
  return Measure(n, Turns(rounds), {SerialContestant<0>(n)},
                 {ContestantOf<0>(runtime, n)});
}

Point MeasureRuntime(Vesta& runtime, std::int64_t n, int rounds) {
  if (n > kLongestAtPlaces) {
    return MeasureAtPlaces(runtime, n, rounds, std::integer_sequence<int, 0>());
  }
  return MeasureAtPlaces(runtime, n, rounds,
                         std::make_integer_sequence<int, kPlaces>());
}

Point MeasureReduction(Vesta& runtime, std::int64_t n, int rounds) {
  return Measure(n, Turns(rounds), {SerialContestant<0>(n)},
                 {ReductionContestant(runtime, n)});
}

// measure(n) gives the point.
template <typename MeasureAt>
std::vector<Point> Curve(const MeasureAt& measure) {
  std::vector<Point> curve;
  for (const std::int64_t n : Sizes()) curve.push_back(measure(n));
  return curve;
}

// The first point from which on all gain.
const Point* FindCrossover(const std::vector<Point>& curve) {
  const Point* first = nullptr;
  for (const Point& point : curve) {
    const bool gains = point.serial >= kGain * point.parallel;
    if (!gains) first = nullptr;
    if (gains && first == nullptr) first = &point;
  }
  return first;
}

void TellCrossover(BarTable& table, const std::string& who,
                   const std::vector<Point>& curve) {
  const std::string what = "counting: 2 threads gain 1.3x from n, " + who;
  const Point* const point = FindCrossover(curve);
  if (point == nullptr) {
    table.Tell(what, 0.0, "", "never");
    return;
  }
  char remark[64];
  std::snprintf(remark, sizeof(remark), "serial %.0f ns, then %.0f ns",
                point->serial, point->parallel);
  table.Tell(what, static_cast<double>(point->n), "", remark);
}

double SlowDown(const Point& point) {
  return 100.0 * (point.parallel / point.serial - 1.0);
}

// The same without what is forgiven.
double JudgedSlowDown(const Point& point) {
  const bool is_forgiven =
      point.parallel - point.serial <= kForgivenNanoseconds;
  return is_forgiven ? std::min(0.0, SlowDown(point)) : SlowDown(point);
}

template <typename Measure>
const Point& Worst(const std::vector<Point>& curve, const Measure& slow_down) {
  return *std::max_element(curve.begin(), curve.end(),
                           [&](const Point& a, const Point& b) {
                             return slow_down(a) < slow_down(b);
                           });
}

std::string At(const Point& point) {
  return " (n = " + std::to_string(point.n) + ", " +
         std::to_string(std::llround(point.serial)) + " ns serial)";
}

constexpr double kAllowedSlowDown = 3.0;

// The worst of many points is the worst of their noise, too: those that miss
// the bar are measured once more, and that counts.
void JudgeSlowDown(BarTable& table, Vesta& runtime, int threads,
                   std::vector<Point> curve) {
  TakeNumDisturbed();  // Of the curve; what misses the bar is measured again.
  double most = 0.0;
  for (Point& point : curve) {
    if (JudgedSlowDown(point) > kAllowedSlowDown) {
      point = MeasureRuntime(runtime, point.n, kManyRounds);
    }
    if (SlowDown(point) > kAllowedSlowDown) {
      most = std::max(most, point.parallel - point.serial);
    }
  }
  const std::string who =
      std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  const Point& worst = Worst(curve, JudgedSlowDown);
  table.AtMost("counting: worst slow-down, " + who + At(worst),
               JudgedSlowDown(worst), kAllowedSlowDown, "%");
  table.Tell("counting, " + who + ": most added where it is more than 3 %",
             most, "ns");
}

template <int kPlace>
VESTA_IN_PLACE __attribute__((noinline)) void CountInPlace(std::int64_t n,
                                                           std::int64_t calls) {
  Distinguish<kPlace>();
  Lengths lengths(n);
  for (std::int64_t call = 0; call < calls; ++call) {
    benchmark::DoNotOptimize(CountSteps(0, lengths.Next()));
  }
}

template <int kPlace>
VESTA_IN_PLACE __attribute__((noinline)) void CountInPlace(Vesta& runtime,
                                                           std::int64_t n,
                                                           std::int64_t calls) {
  Distinguish<kPlace>();
  Lengths lengths(n);
  for (std::int64_t call = 0; call < calls; ++call) {
    Count(runtime, lengths.Next());
  }
}

__attribute__((noinline)) void Refuse(std::int64_t n) {
  benchmark::DoNotOptimize(n);
}

// The least that a loop can do that decides anything: a comparison with what is
// in a register, and a branch that is never taken.
template <int kPlace>
VESTA_IN_PLACE __attribute__((noinline)) void CompareAndCountInPlace(
    std::int64_t most, std::int64_t n, std::int64_t calls) {
  Distinguish<kPlace>();
  Lengths lengths(n);
  for (std::int64_t call = 0; call < calls; ++call) {
    const std::int64_t length = lengths.Next();
    if (__builtin_expect(length > most, 0)) {
      Refuse(length);
    } else {
      benchmark::DoNotOptimize(CountSteps(0, length));
    }
  }
}

template <int... kPlace>
std::vector<double> TimePlaces(Vesta& runtime, std::int64_t n,
                               std::integer_sequence<int, kPlace...>) {
  std::vector<Contestant> contestants = {
      [n](std::int64_t calls) { CountInPlace<kPlace>(n, calls); }...,
      [&runtime, n](std::int64_t calls) {
        CountInPlace<kPlace>(runtime, n, calls);
      }...,
      [n](std::int64_t calls) {
        std::int64_t most = 1000;
        benchmark::DoNotOptimize(most);
        CompareAndCountInPlace<kPlace>(most, n, calls);
      }...};
  // Short rounds, some of which nobody disturbs.
  TurnsOptions options;
  options.rounds = 200;
  options.round_seconds = 0.1e-3;
  options.wait_until_quiet = false;
  options.quantile = 0.0;
  return TimeInTurns(contestants, options);
}

// Both loops in the loop that calls them. The least times of each place repeat
// to some hundredths of a nanosecond, where medians differ by tenths on a
// machine that others use.
void TellPlaces(BarTable& table, Vesta& runtime) {
  for (const std::int64_t n : {8, 16, 32, 64}) {
    const std::vector<double> times =
        TimePlaces(runtime, n, std::make_integer_sequence<int, kPlaces>());
    const auto of_contestant = [&times](int contestant) {
      const auto begin = times.begin() + contestant * kPlaces;
      return std::vector<double>(begin, begin + kPlaces);
    };
    const std::vector<double> of_serial = of_contestant(0);
    const auto range = std::minmax_element(of_serial.begin(), of_serial.end());
    const double serial = Median(of_serial);
    const std::string where = "counting to " + std::to_string(n) + " at " +
                              std::to_string(kPlaces) + " places, least: ";
    const auto tell = [&](int contestant, const std::string& what) {
      const double added = Median(of_contestant(contestant)) - serial;
      char remark[64];
      std::snprintf(remark, sizeof(remark), "%.1f %% of %.2f, %.2f to %.2f",
                    100.0 * added / serial, serial, *range.first,
                    *range.second);
      table.Tell(where + what, added, "ns", remark);
    };
    tell(1, "added");
    tell(2, "by one comparison");
  }
}

template <typename R>
std::vector<Point> CurveOf(R& runtime, int rounds) {
  return Curve([&runtime, rounds](std::int64_t n) {
    return MeasureRuntime(runtime, n, rounds);
  });
}

void JudgeCrossover(BarTable& table) {
  {
    Vesta vesta(2);
    TellPlaces(table, vesta);
    const std::vector<Point> curve = CurveOf(vesta, kFewRounds);
    TellCrossover(table, "vesta", curve);
    JudgeSlowDown(table, vesta, 2, curve);
    TellCrossover(table, "vesta, ParallelReduce",
                  Curve([&vesta](std::int64_t n) {
                    return MeasureReduction(vesta, n, 7);
                  }));
  }
  {
    Vesta vesta(1);
    JudgeSlowDown(table, vesta, 1, CurveOf(vesta, kFewRounds));
  }
  ForEachPeer([&table](auto tag) {
    using R = typename decltype(tag)::Runtime;
    R runtime(2);
    const std::vector<Point> curve = CurveOf(runtime, 5);
    TellCrossover(table, R::kName, curve);
    const Point& worst = Worst(curve, SlowDown);
    table.Tell(std::string(R::kName) + ": worst slow-down" + At(worst),
               SlowDown(worst), "%");
  });
}

}  // namespace

const Case kCrossover = {"crossover", RegisterCrossover, JudgeCrossover};

}  // namespace vesta_benchmarks
