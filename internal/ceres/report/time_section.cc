// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/time_section.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/trace_output/trace_timeline.h"

namespace ceres::internal {
namespace {

using parallel::detail::EventKind;
using parallel::detail::TraceEvent;
using parallel::detail::TraceTimeline;

using Interval = std::pair<std::int64_t, std::int64_t>;

// Sorts the intervals and merges those that overlap.
std::vector<Interval> Union(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<Interval> merged;
  for (const Interval& interval : intervals) {
    if (!merged.empty() && interval.first <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, interval.second);
    } else {
      merged.push_back(interval);
    }
  }
  return merged;
}

// Adds to bins[i] the nanoseconds of the intervals, which are disjoint, in bin
// i of the duration, times `sign`.
void AddToBins(const std::vector<Interval>& intervals, std::int64_t duration,
               double sign, std::vector<double>* bins) {
  const double width =
      static_cast<double>(duration) / static_cast<double>(bins->size());
  const int last = static_cast<int>(bins->size()) - 1;
  for (const auto& [interval_begin, interval_end] : intervals) {
    const auto begin = static_cast<double>(interval_begin);
    const auto end = static_cast<double>(interval_end);
    const int first_bin = std::clamp(static_cast<int>(begin / width), 0, last);
    const int last_bin = std::clamp(static_cast<int>(end / width), 0, last);
    for (int bin = first_bin; bin <= last_bin; ++bin) {
      const double overlap =
          std::min(end, (bin + 1) * width) - std::max(begin, bin * width);
      (*bins)[bin] += sign * std::max(0.0, overlap);
    }
  }
}

// The digit per interval of the thread: work less the waits within it. The
// thread that started the trace works all the time.
std::string Activity(const TraceTimeline& timeline, int thread) {
  std::vector<Interval> work;
  std::vector<Interval> waits;
  if (thread == 0) work.emplace_back(0, timeline.duration);
  for (const TraceEvent& event : timeline.events) {
    if (event.thread != thread) continue;
    if (event.kind == EventKind::kTask || event.kind == EventKind::kPiece) {
      work.emplace_back(event.begin, event.end);
    } else if (event.kind == EventKind::kWait) {
      waits.emplace_back(event.begin, event.end);
    }
  }
  std::vector<double> busy(kTimelineIntervals, 0.0);
  AddToBins(Union(std::move(work)), timeline.duration, 1.0, &busy);
  AddToBins(Union(std::move(waits)), timeline.duration, -1.0, &busy);
  const double width =
      static_cast<double>(timeline.duration) / kTimelineIntervals;
  std::string digits;
  for (const double nanoseconds : busy) {
    const double share = std::clamp(nanoseconds / width, 0.0, 1.0);
    digits += static_cast<char>('0' + static_cast<int>(share * 9.0 + 0.5));
  }
  return digits;
}

void AddStage(const char* name, double seconds, TimeSection* section) {
  if (seconds > 0.0) section->stages.push_back({name, seconds});
}

void CollectStages(const Solver::Summary& s, TimeSection* section) {
  section->total = std::max(0.0, s.total_time_in_seconds);
  AddStage("Preprocessing", s.preprocessor_time_in_seconds, section);
  AddStage("Residuals", s.residual_evaluation_time_in_seconds, section);
  AddStage("Jacobians", s.jacobian_evaluation_time_in_seconds, section);
  AddStage("Linear solver", s.linear_solver_time_in_seconds, section);
  AddStage("Inner iterations", s.inner_iteration_time_in_seconds, section);
  // The evaluations of a line search are among those of residuals and
  // Jacobians.
  AddStage("Postprocessing", s.postprocessor_time_in_seconds, section);
  double sum = 0.0;
  for (const TimeStage& stage : section->stages) sum += stage.seconds;
  AddStage("Other", section->total - sum, section);
}

void CollectTimeline(const parallel::Trace& trace, TimeSection* section) {
  const TraceTimeline timeline =
      parallel::detail::MakeTimeline(*trace.session());
  if (timeline.duration <= 0) return;
  const parallel::TraceSummary summary =
      parallel::detail::SummarizeTimeline(timeline);
  section->trace_duration = summary.duration;
  section->parallelism = summary.parallelism();
  section->num_dropped = static_cast<std::int64_t>(summary.dropped);
  const std::size_t num_threads =
      std::min<std::size_t>(summary.threads.size(), kMaxTimelineThreads);
  for (std::size_t i = 0; i < num_threads; ++i) {
    const parallel::TraceThreadSummary& thread = summary.threads[i];
    section->threads.push_back({thread.name, thread.busy, thread.waiting,
                                thread.waking, thread.idle,
                                Activity(timeline, static_cast<int>(i))});
  }
}

}  // namespace

TimeSection CollectTime(const Solver::Summary& summary,
                        const parallel::Trace* trace) {
  TimeSection section;
  CollectStages(summary, &section);
  section.num_threads_used = summary.num_threads_used;
  section.num_cpus = parallel::AvailableConcurrency();
  if (trace != nullptr && trace->session() != nullptr) {
    CollectTimeline(*trace, &section);
  }
  return section;
}

}  // namespace ceres::internal
