// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A team of two threads that forks and joins 10^5 times in a row, for a few
// instructions each time.

#include <cstdint>
#include <string>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

constexpr int kForkJoins = 100000;

struct alignas(64) Counter {
  volatile std::int64_t value = 0;
};

template <typename R>
void ForkAndJoinManyTimes(R& runtime) {
  Counter counters[2];
  const auto tiny = [&counters](std::int64_t k) {
    counters[k].value = counters[k].value + 1;
  };
  for (int k = 0; k < kForkJoins; ++k) runtime.ForkTwo(tiny);
}

// Both threads are called for each fork, whether or not it pays.
struct VestaAlways : Vesta {
  static constexpr const char* kName = "vesta_always_both";
  explicit VestaAlways(int threads) : Vesta(threads) {
    pool().SetSharing(ceres::parallel::Sharing::kAlways);
  }
};

template <typename Visitor>
void ForEachTeam(const Visitor& visit) {
  visit(RuntimeTag<Vesta>());
  visit(RuntimeTag<VestaAlways>());
  ForEachPeer(visit);
}

template <typename R>
double NanosecondsOfForkJoin(bool is_judged) {
  R runtime(2);
  const Contestant contestant = [&runtime](std::int64_t calls) {
    runtime.EnterLoops([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        ForkAndJoinManyTimes(runtime);
      }
    });
  };
  TurnsOptions options;
  options.rounds = 7;
  options.is_judged = is_judged;
  return TimeInTurns({contestant}, options)[0] / kForkJoins;
}

void JudgeTeam(BarTable& table) {
  const std::string bar = "a tiny fork-join of a team of two, 10^5 in a row";
  table.AtMost(bar, NanosecondsOfForkJoin<Vesta>(/*is_judged=*/true), 1000.0,
               "ns");
  table.AtMost(bar + ", Sharing::kAlways",
               NanosecondsOfForkJoin<VestaAlways>(/*is_judged=*/true), 1000.0,
               "ns");
  ForEachPeer([&table](auto tag) {
    using R = typename decltype(tag)::Runtime;
    table.Tell(R::kName, NanosecondsOfForkJoin<R>(/*is_judged=*/false), "ns");
  });
}

}  // namespace

const Case kTeam = {"team", JudgeTeam};

}  // namespace vesta_benchmarks
