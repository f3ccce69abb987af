// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "report_flags.h"

#include <iostream>
#include <string>

#include "ceres/diagnosis.h"
#include "ceres/parallel/trace.h"
#include "ceres/progress_display.h"
#include "gflags/gflags.h"

DEFINE_string(report, "",
              "Write a report of the solve to this HTML file, to look at.");
DEFINE_bool(progress, true,
            "Show the progress as one line, if stderr is a terminal, in place "
            "of the table of iterations.");
DEFINE_bool(diagnose, false,
            "After the solve, say which directions of the parameters the "
            "residuals leave undetermined or weak, and which residual blocks "
            "nothing checks.");

namespace ceres::examples {
namespace {

void SolveWithProgress(Solver::Options options, Problem* problem,
                       Solver::Summary* summary) {
  ProgressDisplay progress(options);
  if (FLAGS_progress && progress.is_active()) {
    options.minimizer_progress_to_stdout = false;
    options.callbacks.push_back(&progress);
  }
  Solve(options, problem, summary);
}

void PrintDiagnosis(int num_threads, const HtmlReport::Options& names,
                    Problem* problem) {
  DiagnosisOptions options;
  options.compute_redundancy = true;
  options.num_threads = num_threads;
  options.parameter_block_name = names.parameter_block_name;
  options.residual_block_tag = names.residual_block_tag;
  std::cout << Diagnose(options, problem).ToString() << "\n";
}

bool SolveAndWriteReport(const Solver::Options& options,
                         const HtmlReport::Options& report_options,
                         Problem* problem, Solver::Summary* summary,
                         const std::function<bool()>& prepare) {
  if (FLAGS_report.empty()) {
    if (prepare && !prepare()) return false;
    SolveWithProgress(options, problem, summary);
    return true;
  }
  parallel::Trace trace;
  HtmlReport::Options with_trace = report_options;
  with_trace.trace = &trace;
  HtmlReport report(with_trace, problem);
  if (prepare && !prepare()) return false;
  trace.Start();
  SolveWithProgress(options, problem, summary);
  trace.Stop();
  std::string error;
  if (!report.Write(FLAGS_report, options, *summary, &error)) {
    std::cerr << error << "\n";
    return false;
  }
  std::cout << "Report: " << FLAGS_report << "\n";
  return true;
}

}  // namespace

bool SolveAndReport(const Solver::Options& options,
                    const HtmlReport::Options& report_options, Problem* problem,
                    Solver::Summary* summary,
                    const std::function<bool()>& prepare) {
  const bool is_written =
      SolveAndWriteReport(options, report_options, problem, summary, prepare);
  if (FLAGS_diagnose) {
    PrintDiagnosis(options.num_threads, report_options, problem);
  }
  return is_written;
}

}  // namespace ceres::examples
