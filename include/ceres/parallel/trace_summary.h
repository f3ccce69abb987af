// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TRACE_SUMMARY_H_
#define CERES_PUBLIC_PARALLEL_TRACE_SUMMARY_H_

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel {

class Trace;

// All times in seconds.

// The time of one thread in a trace.
struct TraceThreadSummary {
  // The name of the thread.
  std::string name;
  double busy = 0.0;     // At work.
  double waiting = 0.0;  // For other threads, without helping.
  double waking = 0.0;   // From the call that wakes the thread to its arrival.
  double idle = 0.0;     // The rest of the trace.
};

// Bounds on the time of the traced program with a given number of threads.
struct TraceForecast {
  // The number of threads.
  int threads = 0;
  double time_at_least = 0.0;  // max(work / threads, span)
  double time_at_most = 0.0;   // (work - span) / threads + span
  // Over one thread, which takes `work`.
  double speedup_at_least = 0.0;
  double speedup_at_most = 0.0;  // Over one thread, which takes `work`.
};

// The work, span and parallelism of a traced program, and the times of its
// threads.
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
// (Graham, SIAM J. Applied Mathematics 1969; Brent, J. ACM 1974).
//
// Rules for times:
// - The thread that called Trace::Start works from Start to Stop, except when
//   it waits. Another thread that starts loops or tasks, outside of any, works
//   from the first to the last of them.
// - A piece of k blocks of a loop counts as its mean block in the span, since
//   it could have been cut further.
// - A loop or fork that was not shared counts as one piece of work. The span is
//   then too long, and the forecast speed-up too low.
// - Times are wall times. A thread without a CPU seems to work.
struct CERES_PARALLEL_EXPORT TraceSummary {
  double duration = 0.0;    // From Start to Stop.
  double work = 0.0;        // W above.
  double span = 0.0;        // S above.
  double waiting = 0.0;     // Sum over threads.
  double waking = 0.0;      // Sum over threads.
  std::size_t tasks = 0;    // Number of tasks.
  std::size_t loops = 0;    // Number of loops and forks.
  std::size_t pieces = 0;   // Number of pieces of loops.
  std::size_t wakes = 0;    // Number of wake-ups of threads.
  std::size_t dropped = 0;  // Number of events that are missing in the trace.
  // One element per thread.
  std::vector<TraceThreadSummary> threads;

  // work / span; 1 if the span is 0.
  double parallelism() const { return span > 0.0 ? work / span : 1.0; }
  // Bounds on the time with num_threads threads. Throws std::invalid_argument
  // unless num_threads is positive.
  TraceForecast Forecast(int num_threads) const;
};

// Summarizes the events so far. The summary of a trace that was never started
// is empty.
CERES_PARALLEL_EXPORT TraceSummary Summarize(const Trace& trace);

// Writes a table with forecasts for 1, 4, 16 and 64 threads.
CERES_PARALLEL_EXPORT std::ostream& operator<<(std::ostream& out,
                                               const TraceSummary& summary);

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TRACE_SUMMARY_H_
