// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_DIAGNOSIS_SECTION_H_
#define CERES_INTERNAL_REPORT_DIAGNOSIS_SECTION_H_

#include "ceres/html_report.h"
#include "ceres/problem.h"
#include "ceres/report/report_data.h"

namespace ceres::internal {

// Diagnoses the problem (ceres/diagnosis.h) with some threads, on which the
// result does not depend. Writes what is known of the worst residual blocks to
// `residuals`.
//
// The motion of the scene along a direction is half the difference of two
// scenes: of the values moved along it by a small step, and back. The values
// are in the user's memory meanwhile, and restored afterwards, also if the
// function of the scene throws.
DiagnosisSection CollectDiagnosis(const HtmlReport::Options& options,
                                  int num_threads, Problem* problem,
                                  ResidualSection* residuals);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_DIAGNOSIS_SECTION_H_
