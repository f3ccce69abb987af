// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace_summary.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "ceres/base/number.h"
#include "ceres/parallel/trace.h"
#include "ceres/parallel/trace_output/trace_timeline.h"

namespace ceres::parallel {
namespace {

// With a unit that suits it.
std::string FormatTime(double seconds) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(3);
  if (seconds >= 1.0) {
    text << seconds << " s";
  } else if (seconds >= 1e-3) {
    text << 1e3 * seconds << " ms";
  } else {
    text << 1e6 * seconds << " us";
  }
  return text.str();
}

std::string FormatPercent(double part, double whole) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1)
       << (whole > 0.0 ? 100.0 * part / whole : 0.0) << " %";
  return text.str();
}

std::string FormatFactor(double factor) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << factor;
  return text.str();
}

void PrintThreads(const TraceSummary& summary, std::ostream& out) {
  out << "\n  thread             busy      waiting   waking    idle\n";
  for (const TraceThreadSummary& thread : summary.threads) {
    out << "  " << std::left << std::setw(16) << thread.name << std::right;
    for (const double time :
         {thread.busy, thread.waiting, thread.waking, thread.idle}) {
      out << std::setw(10) << FormatPercent(time, summary.duration);
    }
    out << "\n";
  }
}

void PrintForecasts(const TraceSummary& summary, std::ostream& out) {
  out << "\n  threads   time (greedy scheduler)          speed-up\n";
  for (const int threads : {1, 4, 16, 64}) {
    const TraceForecast forecast = summary.Forecast(threads);
    out << std::setw(9) << threads << "   " << std::left << std::setw(33)
        << FormatTime(forecast.time_at_least) + " to " +
               FormatTime(forecast.time_at_most)
        << FormatFactor(forecast.speedup_at_least) << " to "
        << FormatFactor(forecast.speedup_at_most) << std::right << "\n";
  }
}

}  // namespace

TraceForecast TraceSummary::Forecast(int num_threads) const {
  if (num_threads <= 0) {
    throw std::invalid_argument("TraceSummary::Forecast: num_threads is " +
                                std::to_string(num_threads) +
                                ", must be positive");
  }
  const double share = work / num_threads;
  TraceForecast forecast;
  forecast.threads = num_threads;
  forecast.time_at_least = std::max(share, span);
  forecast.time_at_most = std::max(share, (work - span) / num_threads + span);
  forecast.speedup_at_least = forecast.speedup_at_most = 1.0;
  if (work > 0.0) {
    forecast.speedup_at_least = work / forecast.time_at_most;
    forecast.speedup_at_most = work / forecast.time_at_least;
  }
  return forecast;
}

TraceSummary Summarize(const Trace& trace) {
  if (trace.session() == nullptr) return {};
  return detail::SummarizeTimeline(detail::MakeTimeline(*trace.session()));
}

std::ostream& operator<<(std::ostream& out, const TraceSummary& summary) {
  std::ostringstream text;
  const double threads_time =
      summary.duration * static_cast<double>(summary.threads.size());
  const auto line = [&](const char* name, const std::string& value) {
    text << "  " << std::left << std::setw(16) << name << std::right << value
         << "\n";
  };
  line("duration", FormatTime(summary.duration));
  line("work", FormatTime(summary.work) + "  (" +
                   FormatPercent(summary.work, threads_time) +
                   " of the threads' time)");
  line("span", FormatTime(summary.span));
  line("parallelism", FormatFactor(summary.parallelism()));
  line("lost waiting", FormatTime(summary.waiting));
  line("lost waking", FormatTime(summary.waking) + "  (" +
                          internal::CountOf(summary.wakes, "wake-up") + ")");
  line("recorded",
       internal::CountOf(summary.tasks, "task") + ", " +
           internal::CountOf(summary.loops, "loop or fork", "loops and forks") +
           ", " + internal::CountOf(summary.pieces, "piece"));
  if (summary.dropped > 0) {
    line("incomplete", internal::CountOf(summary.dropped, "event") +
                           " found no room: raise "
                           "TraceOptions::max_events_per_thread");
  }
  PrintThreads(summary, text);
  PrintForecasts(summary, text);
  return out << text.str();
}

}  // namespace ceres::parallel
