// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/progress_display.h"

#include <algorithm>
#include <string>

#include "ceres/base/format.h"
#include "ceres/base/platform.h"

namespace ceres {
namespace {

constexpr double kSecondsBetweenLines = 0.1;
// Limits from here on are not limits: the default is 1e9 s, 30 years.
constexpr double kNoTimeLimit = 1e8;
constexpr char kEraseToEndOfLine[] = "\x1b[K";

std::string Duration(double seconds) {
  if (seconds < 120.0) return internal::Format("%.1f s", seconds);
  if (seconds < 7200.0) return internal::Format("%.0f min", seconds / 60.0);
  return internal::Format("%.1f h", seconds / 3600.0);
}

}  // namespace

ProgressDisplay::ProgressDisplay(const Solver::Options& options,
                                 std::FILE* stream, Output output)
    : max_num_iterations_(options.max_num_iterations),
      max_seconds_(options.max_solver_time_in_seconds),
      stream_(stream),
      is_active_(output == Output::kAlways || platform::IsTerminal(stream)) {}

ProgressDisplay::~ProgressDisplay() { Finish(); }

CallbackReturnType ProgressDisplay::operator()(
    const IterationSummary& summary) {
  if (!is_active_) return SOLVER_CONTINUE;
  const bool is_due =
      !has_line_ || summary.iteration < last_.iteration ||
      summary.cumulative_time_in_seconds >= shown_at_ + kSecondsBetweenLines;
  last_ = summary;
  if (is_due) Show();
  return SOLVER_CONTINUE;
}

void ProgressDisplay::Finish() {
  if (!has_line_) return;
  Show();
  std::fputs("\n", stream_);
  std::fflush(stream_);
  has_line_ = false;
}

void ProgressDisplay::Show() {
  std::string line = Line();
  const std::size_t width = platform::TerminalWidth(stream_);
  // A line that wraps could not be overwritten.
  if (width > 0) line.resize(std::min(line.size(), width - 1));
  std::fprintf(stream_, "\r%s%s", line.c_str(), kEraseToEndOfLine);
  std::fflush(stream_);
  has_line_ = true;
  shown_at_ = last_.cumulative_time_in_seconds;
}

std::string ProgressDisplay::Line() const {
  const double elapsed = last_.cumulative_time_in_seconds;
  std::string line = internal::Format(
      "iteration %d of at most %d, cost %.6e, %s", last_.iteration,
      max_num_iterations_, last_.cost, Duration(elapsed).c_str());
  const bool has_time_limit = max_seconds_ < kNoTimeLimit;
  if (last_.iteration == 0 && !has_time_limit) return line;
  double left = std::max(0.0, max_seconds_ - elapsed);
  if (last_.iteration > 0) {
    const int iterations_left =
        std::max(0, max_num_iterations_ - last_.iteration);
    left = std::min(left, elapsed / last_.iteration * iterations_left);
  }
  return line + internal::Format(", at most %s left", Duration(left).c_str());
}

}  // namespace ceres
