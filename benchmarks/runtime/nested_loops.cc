// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops within loops: 16 x 16 pieces of 2 us, and 12 "images", each of which
// begins with a serial third of its work. To be within 10 % of what no
// schedule can beat by much: work / threads + span (Graham, 1966; Brent, 1974).

#include <cstdint>
#include <string>
#include <vector>

#include "bars.h"
#include "runtimes.h"
#include "timing.h"

namespace vesta_benchmarks {
namespace {

// `outer` times: serial_nanoseconds, then `inner` pieces of piece_nanoseconds.
struct Nest {
  const char* name;
  int outer;
  double serial_nanoseconds;
  int inner;
  double piece_nanoseconds;

  double Span() const { return serial_nanoseconds + piece_nanoseconds; }
};

constexpr Nest kNests[] = {{"16_x_16_loops", 16, 0.0, 16, 2e3},
                           {"12_images", 12, 100e3, 100, 2e3}};

void RunSerially(const Nest& nest) {
  for (int k = 0; k < nest.outer; ++k) {
    WorkByClock(nest.serial_nanoseconds);
    for (int j = 0; j < nest.inner; ++j) WorkByClock(nest.piece_nanoseconds);
  }
}

template <typename R>
void RunNest(R& runtime, const Nest& nest) {
  runtime.Loop(nest.outer, [&](std::int64_t /*image*/) {
    WorkByClock(nest.serial_nanoseconds);
    runtime.Loop(nest.inner, [&](std::int64_t /*piece*/) {
      WorkByClock(nest.piece_nanoseconds);
    });
  });
}

template <typename R>
Contestant ContestantOf(R& runtime, const Nest& nest) {
  return [&runtime, &nest](std::int64_t calls) {
    runtime.Enter([&] {
      for (std::int64_t call = 0; call < calls; ++call) {
        RunNest(runtime, nest);
      }
    });
  };
}

Contestant SerialContestant(const Nest& nest) {
  return [&nest](std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      RunSerially(nest);
    }
  };
}

void JudgeNestedLoops(BarTable& table) {
  constexpr int kTeam = 2;
  for (const Nest& nest : kNests) {
    Vesta vesta(kTeam);
    TurnsOptions judged;
    judged.is_judged = true;
    const std::vector<double> times = TimeInTurns(
        {SerialContestant(nest), ContestantOf(vesta, nest)}, judged);
    const double bound = times[0] / kTeam + nest.Span();
    table.AtMost(std::string("nested ") + nest.name +
                     ": time over work / threads + span, 2 threads",
                 times[1] / bound, 1.1, "x");
    ForEachPeer([&](auto tag) {
      using R = typename decltype(tag)::Runtime;
      R peer(kTeam);
      TurnsOptions options;
      options.rounds = 7;
      table.Tell(R::kName,
                 TimeInTurns({ContestantOf(peer, nest)}, options)[0] / bound,
                 "x");
    });
  }
}

}  // namespace

const Case kNestedLoops = {"nested_loops", JudgeNestedLoops};

}  // namespace vesta_benchmarks
