// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TRACE_SUMMARY_H_
#define CERES_PUBLIC_PARALLEL_TRACE_SUMMARY_H_

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace ceres::parallel {

class Trace;

// All times in seconds.

struct TraceThreadSummary {
  std::string name;
  double busy = 0.0;     // At work.
  double waiting = 0.0;  // For work of others, without helping.
  double waking = 0.0;   // From the call that wakes it to its arrival.
  double idle = 0.0;     // The rest of the trace.
};

// How long the traced program would take with so many threads.
struct TraceForecast {
  int threads = 0;
  double time_at_least = 0.0;  // max(work / threads, span)
  double time_at_most = 0.0;   // (work - span) / threads + span
  double speedup_at_least = 0.0;
  double speedup_at_most = 0.0;  // Over one thread, which takes `work`.
};

// What a trace says about a program.
//
//   work W         time at work, summed over threads: of tasks, pieces of
//                  loops, and of the threads that start them
//   span S         the longest chain of work that must come one after the
//                  other: through spawns, waits, the edges of task graphs and
//                  the ends of loops
//   parallelism    W / S: more threads than that are of no use
//
// Any scheduler that leaves no thread idle while there is work takes, with P
// threads,
//   max(W / P, S) <= T_P <= (W - S) / P + S
// (Graham, SIAM J. Applied Mathematics 1969; Brent, J. ACM 1974). Both ends are
// given.
//
// How it is counted:
//  - The thread that called Trace::Start works from Start to Stop, except when
//    it waits. Another thread that starts loops or tasks, outside of any, works
//    from the first to the last of them.
//  - A piece of k blocks of a loop counts as its mean block in the span, since
//    it could have been cut further.
//  - What ran unshared counts as one piece of work: loops that were too small,
//    forks that nobody took. The span is then too long, and the forecast too
//    low, never too high for that reason.
//  - Times are by the clock: a thread that had no cpu seems to work.
struct TraceSummary {
  double duration = 0.0;  // From Start to Stop.
  double work = 0.0;
  double span = 0.0;
  double waiting = 0.0;  // Sums over threads.
  double waking = 0.0;
  std::size_t tasks = 0;
  std::size_t loops = 0;  // And forks.
  std::size_t pieces = 0;
  std::size_t wakes = 0;
  std::size_t dropped = 0;  // Events that are missing in the trace.
  std::vector<TraceThreadSummary> threads;

  double parallelism() const { return span > 0.0 ? work / span : 1.0; }
  // num_threads must be positive, else std::invalid_argument.
  TraceForecast Forecast(int num_threads) const;
};

TraceSummary Summarize(const Trace& trace);

// A table for people, with forecasts for 4, 16 and 64 threads.
std::ostream& operator<<(std::ostream& out, const TraceSummary& summary);

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TRACE_SUMMARY_H_
