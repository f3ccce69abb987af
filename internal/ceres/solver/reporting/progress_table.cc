// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reporting/progress_table.h"

#include <cstdio>
#include <string>

#include "ceres/base/format.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

std::string TrustRegionLine(const IterationSummary& summary) {
  std::string text;
  if (summary.iteration == 0) {
    text =
        "iter      cost      cost_change  |gradient|   |step|    tr_ratio  "
        "tr_radius  ls_iter  iter_time  total_time\n";
  }
  AppendFormat(
      &text,
      "% 4d % 8e   % 3.2e   % 3.2e  % 3.2e  % 3.2e % 3.2e     % 4d   "
      "% 3.2e   % 3.2e",
      summary.iteration, summary.cost, summary.cost_change,
      summary.gradient_max_norm, summary.step_norm, summary.relative_decrease,
      summary.trust_region_radius, summary.linear_solver_iterations,
      summary.iteration_time_in_seconds, summary.cumulative_time_in_seconds);
  return text;
}

std::string LineSearchLine(const IterationSummary& summary) {
  std::string text;
  if (summary.iteration == 0) {
    text =
        "iter      cost      cost_change  |gradient|   |step|   step_size  "
        "evaluations  iter_time  total_time\n";
  }
  AppendFormat(&text,
               "% 4d % 8e   % 3.2e   % 3.2e  % 3.2e  % 3.2e         % 4d   "
               "% 3.2e   % 3.2e",
               summary.iteration, summary.cost, summary.cost_change,
               summary.gradient_max_norm, summary.step_norm, summary.step_size,
               summary.line_search_function_evaluations,
               summary.iteration_time_in_seconds,
               summary.cumulative_time_in_seconds);
  return text;
}

}  // namespace

ProgressTable::ProgressTable(MinimizerType minimizer_type, bool to_stdout)
    : to_stdout_(to_stdout), minimizer_type_(minimizer_type) {}

bool ProgressTable::IsWanted(LoggingType logging_type, bool to_stdout) {
  return logging_type != SILENT && (to_stdout || IsLogVerbose(1));
}

CallbackReturnType ProgressTable::operator()(const IterationSummary& summary) {
  const std::string text = minimizer_type_ == LINE_SEARCH
                               ? LineSearchLine(summary)
                               : TrustRegionLine(summary);
  if (to_stdout_) {
    std::puts(text.c_str());
    std::fflush(stdout);
  } else {
    VESTA_LOG(kInfo) << text;
  }
  return SOLVER_CONTINUE;
}

}  // namespace ceres::internal
