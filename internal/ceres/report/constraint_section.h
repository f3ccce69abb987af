// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_CONSTRAINT_SECTION_H_
#define CERES_INTERNAL_REPORT_CONSTRAINT_SECTION_H_

#include "ceres/problem.h"
#include "ceres/report/report_data.h"

namespace ceres::internal {

// The constraints at the user's values. A constraint that cannot be evaluated
// has values that are not numbers. Throws what user code throws.
ConstraintSection CollectConstraints(Problem* problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_CONSTRAINT_SECTION_H_
