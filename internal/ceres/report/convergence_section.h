// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_CONVERGENCE_SECTION_H_
#define CERES_INTERNAL_REPORT_CONVERGENCE_SECTION_H_

#include "ceres/report/report_data.h"
#include "ceres/solver.h"

namespace ceres::internal {

ConvergenceSection CollectConvergence(const Solver::Summary& summary);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_CONVERGENCE_SECTION_H_
