// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_JSON_H_
#define CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_JSON_H_

#include <iosfwd>

#include "ceres/parallel/trace_output/trace_timeline.h"

// clang-format off
// A timeline in the trace event format of Chrome and Perfetto: an object with
// an array "traceEvents" of
//   {"ph":"M", ...}  names of threads
//   {"ph":"X", ...}  slices: "cat" is the kind, "args" has id, region, blocks
//   {"ph":"s", ...}  spawns, each the tail of an arrow; "args" names the task
//   {"ph":"f", ...}  heads of the arrows, for viewers only
// clang-format on
// Times are in microseconds, with three digits behind the point.

namespace ceres::parallel::detail {

void WriteTimeline(const TraceTimeline& timeline, std::ostream& out);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TRACE_OUTPUT_TRACE_JSON_H_
