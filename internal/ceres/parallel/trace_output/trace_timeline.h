// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TIMELINE_H_
#define CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/trace_summary.h"

// A trace in the form in which it is written and summarized.

namespace ceres::parallel::detail {

class TraceSession;

enum class EventKind : std::uint8_t {
  kTask,
  kPiece,
  kLoop,
  kWait,
  kSpan,
  kWaking,  // From the call that wakes the thread to its arrival.
  kSpawn,   // A moment: an arrow leads from it to the task.
};

struct TraceEvent {
  EventKind kind = EventKind::kTask;
  int thread = 0;          // Index into TraceTimeline::threads.
  std::int64_t begin = 0;  // Nanoseconds since the start.
  std::int64_t end = 0;    // The same as begin for moments.
  // kTask, kSpawn: the number of the task, from 1. kSpawn of a fork: 0.
  std::uint64_t id = 0;
  // The number, from 1, of the set, loop or fork that the event belongs to or
  // waits for. 0: not known.
  std::uint64_t region = 0;
  std::int64_t blocks = 1;  // In a piece.
  int waker = -1;           // Of kWaking: the thread that issued it.
  int name = -1;            // Index into TraceTimeline::names.
};

struct TraceTimeline {
  // The first is the one that started the trace.
  std::vector<std::string> threads;
  std::vector<std::string> names;
  // By thread, and within a thread by begin, outer slices first.
  std::vector<TraceEvent> events;
  std::int64_t duration = 0;
  std::size_t dropped = 0;

  const char* NameOf(const TraceEvent& event) const;
  void SortEvents();
};

CERES_PARALLEL_EXPORT TraceTimeline MakeTimeline(const TraceSession& session);

CERES_PARALLEL_EXPORT TraceSummary
SummarizeTimeline(const TraceTimeline& timeline);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TIMELINE_H_
