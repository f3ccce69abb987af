// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/convergence_section.h"

#include "ceres/solver/reporting/iteration_count.h"

namespace ceres::internal {

ConvergenceSection CollectConvergence(const Solver::Summary& summary) {
  ConvergenceSection section;
  section.num_iterations = NumIterations(summary);
  for (const int i : EvenSample(static_cast<int>(summary.iterations.size()),
                                kMaxReportIterations)) {
    section.iterations.push_back(summary.iterations[i]);
  }
  section.is_line_search = summary.minimizer_type == LINE_SEARCH;
  section.is_iterative = !section.is_line_search &&
                         (summary.linear_solver_type_used == ITERATIVE_SCHUR ||
                          summary.linear_solver_type_used == CGNR);
  return section;
}

}  // namespace ceres::internal
