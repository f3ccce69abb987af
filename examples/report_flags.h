// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The flags --report, --progress and --diagnose, which several examples have.

#ifndef VESTA_EXAMPLES_REPORT_FLAGS_H_
#define VESTA_EXAMPLES_REPORT_FLAGS_H_

#include <functional>

#include "ceres/html_report.h"
#include "ceres/problem.h"
#include "ceres/solver.h"

namespace ceres::examples {

// As ceres::Solve, after `prepare`, which may move the start: the report has
// the scene before it. Null: nothing. If it returns false, so does this. Shows
// the progress on a terminal (--progress), in place of the table of iterations,
// writes the HTML report of --report, and prints the diagnosis of --diagnose.
// Returns false, after a message on stderr, if the report cannot be written.
[[nodiscard]] bool SolveAndReport(const Solver::Options& options,
                                  const HtmlReport::Options& report_options,
                                  Problem* problem, Solver::Summary* summary,
                                  const std::function<bool()>& prepare = {});

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_REPORT_FLAGS_H_
