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

// Computes until `nanoseconds` have passed by the clock. For at most as many
// threads as cpus.
void WorkByClock(double nanoseconds);

// The mean of the middle two of an even number.
double Median(std::vector<double> values);

// Seconds of cpu time that all threads of the process have used.
double ProcessCpuSeconds();

// Sleeps until the threads of the runtime that ran before sleep (some spin for
// milliseconds), for at most 40 ms.
void WaitUntilQuiet();

// Runs a case `calls` times in a row. Enters its runtime once.
using Contestant = std::function<void(std::int64_t calls)>;

struct TurnsOptions {
  int rounds = 15;
  double round_seconds = 5e-3;  // Of each contestant; at least one call.
  bool wait_until_quiet = true;
  // Whether a bar is decided. Only then a disturbed measurement is repeated.
  bool is_judged = false;
};

// Nanoseconds of a call of each contestant: the median of its rounds. The
// contestants run in turns, so that a disturbance that lasts longer than a
// round affects all of them. Each turn begins with a call that does not count,
// while threads arrive.
//
// A measurement is disturbed if two threads have less than two cores right
// before or right after it (free_cpus.h), or if the host of a virtual machine
// takes more than 1 % of a cpu's time meanwhile. A disturbed measurement is
// repeated if it is judged, for at most 15 seconds, and 75 seconds a case.
std::vector<double> TimeInTurns(const std::vector<Contestant>& contestants,
                                const TurnsOptions& options = {});

// Grants the time of repeated measurements to a new case.
void ResetRetryTime();

// How many measurements since the last call stayed disturbed.
int TakeNumDisturbed();

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_TIMING_H_
