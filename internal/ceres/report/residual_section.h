// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_RESIDUAL_SECTION_H_
#define CERES_INTERNAL_REPORT_RESIDUAL_SECTION_H_

#include <functional>
#include <string>

#include "ceres/problem.h"
#include "ceres/report/problem_scan.h"
#include "ceres/report/report_data.h"

namespace ceres::internal {

// The names that a report uses. Both functions may be null.
struct ReportNames {
  std::function<std::string(const double*)> parameter_block;
  std::function<std::string(ResidualBlockId)> residual_block;

  // The user's name, or "block <index>".
  std::string OfParameterBlock(const double* values, int index) const;
};

// before: a scan at the start of the solve; after: at its end. A `before` that
// failed, or that has another number of blocks, is left out.
ResidualSection CollectResiduals(const ProblemScan& before,
                                 const ProblemScan& after,
                                 const ReportNames& names, Problem* problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_RESIDUAL_SECTION_H_
