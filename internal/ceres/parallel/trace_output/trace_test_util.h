// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TEST_UTIL_H_
#define CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TEST_UTIL_H_

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace_output/trace_timeline.h"

// Helpers for tests of traces: JSON, timeline and events of a trace.

namespace ceres::parallel {

inline std::string JsonOf(const Trace& trace) {
  std::ostringstream out;
  trace.WriteJson(out);
  return out.str();
}

// Whether the text has the beginning and the end of a trace in JSON, and no
// character that JSON forbids in a string or between values.
inline bool IsWholeJson(const std::string& text) {
  constexpr std::string_view kBegin = "{\"displayTimeUnit\":\"ns\"";
  constexpr std::string_view kEnd = "\n]}\n";
  return text.size() > kBegin.size() + kEnd.size() &&
         text.compare(0, kBegin.size(), kBegin) == 0 &&
         text.compare(text.size() - kEnd.size(), kEnd.size(), kEnd) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 || c == '\n'; });
}

inline detail::TraceTimeline TimelineOf(const Trace& trace) {
  return MakeTimeline(*trace.session());
}

inline std::vector<detail::TraceEvent> EventsOf(const Trace& trace,
                                                detail::EventKind kind) {
  std::vector<detail::TraceEvent> events;
  for (const detail::TraceEvent& event : TimelineOf(trace).events) {
    if (event.kind == kind) events.push_back(event);
  }
  return events;
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TEST_UTIL_H_
