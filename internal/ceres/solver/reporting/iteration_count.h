// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_REPORTING_ITERATION_COUNT_H_
#define CERES_INTERNAL_SOLVER_REPORTING_ITERATION_COUNT_H_

#include <algorithm>

#include "ceres/solver.h"

namespace ceres::internal {

// The number of iterations that every report of a solve gives: of steps that
// were accepted or rejected. As in Ceres, a trust region minimizer counts the
// initial point as an accepted step. 0 if the minimizer did not run.
inline int NumIterations(const Solver::Summary& summary) {
  return std::max(0, summary.num_successful_steps) +
         std::max(0, summary.num_unsuccessful_steps);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_REPORTING_ITERATION_COUNT_H_
