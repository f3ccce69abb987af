// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_TIMING_H_
#define VESTA_BENCHMARKS_RUNTIME_TIMING_H_

#include <cstdint>
#include <functional>
#include <vector>

// Times pieces of code against each other on a machine that others use, too.

namespace vesta_benchmarks {

double NowNanoseconds();

// The mean of the middle two of an even number.
double Median(std::vector<double> values);

// Seconds of cpu time that all threads of the process have burned.
double ProcessCpuSeconds();

// Sleeps until the threads of the runtime that ran before have gone to sleep
// (some spin for milliseconds), but not for ever: 40 ms at most.
void WaitUntilQuiet();

// Does a case so often in a row. Enters its runtime once.
using Contestant = std::function<void(std::int64_t calls)>;

struct TurnsOptions {
  int rounds = 15;
  double round_seconds = 5e-3;  // Of each contestant; at least one call.
  bool wait_until_quiet = true;
  // Which of the rounds' times is told: half of them are below 0.5; 0 is the
  // least, for loops of which others on the machine leave no round in peace.
  double quantile = 0.5;
  // Whether a bar is decided: what is only told is not worth the wait for a
  // machine that others leave alone.
  bool is_judged = false;
};

// Nanoseconds of a call of each contestant, by default the median of its
// rounds. They run in turns, so that what disturbs the machine for longer than
// a round disturbs all of them. Each turn begins with a call that does not
// count, while threads arrive.
//
// A measurement is disturbed if two threads have less than two cores right
// before or right after it (free_cpus.h), or if the host of a virtual machine
// takes more than 1 % of a cpu's time meanwhile. Whatever it came to, it is
// then made again if it is judged, for 15 seconds, or for less once the case
// has lost time in this way (75 seconds at most).
std::vector<double> TimeInTurns(const std::vector<Contestant>& contestants,
                                const TurnsOptions& options = {});

// For a new case.
void BePatientAgain();

// The medians of groups of contestants: of copies of the same code at several
// places (places.h).
std::vector<double> TimeGroupsInTurns(
    const std::vector<std::vector<Contestant>>& groups,
    const TurnsOptions& options = {});

// How many measurements since the last call stayed disturbed.
int TakeNumDisturbed();

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_TIMING_H_
