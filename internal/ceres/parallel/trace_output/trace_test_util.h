// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TEST_UTIL_H_
#define CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_TEST_UTIL_H_

#include <sstream>
#include <string>
#include <vector>

#include "ceres/base/json_reader.h"
#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace_output/trace_timeline.h"
#include "gtest/gtest.h"

// Helpers for tests of traces: JSON, timeline and events of a trace.

namespace ceres::parallel {

inline std::string JsonOf(const Trace& trace) {
  std::ostringstream out;
  trace.WriteJson(out);
  return out.str();
}

// The trace as it is written, read again.
inline internal::JsonValue ReadTrace(const Trace& trace) {
  internal::JsonValue value;
  std::string error;
  EXPECT_TRUE(internal::ReadJson(JsonOf(trace), &value, &error)) << error;
  return value;
}

// The events of one phase ("M", "X", "s", "f") in a trace that was read.
inline std::vector<internal::JsonValue> EventsOfPhase(
    const internal::JsonValue& trace, const std::string& phase) {
  std::vector<internal::JsonValue> events;
  const internal::JsonValue* all = trace.Find("traceEvents");
  EXPECT_NE(all, nullptr);
  if (all == nullptr) return events;
  for (const internal::JsonValue& event : all->items) {
    if (event.Find("ph")->text == phase) events.push_back(event);
  }
  return events;
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
