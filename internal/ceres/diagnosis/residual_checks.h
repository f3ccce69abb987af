// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_RESIDUAL_CHECKS_H_
#define CERES_INTERNAL_DIAGNOSIS_RESIDUAL_CHECKS_H_

#include <vector>

#include "ceres/diagnosis.h"
#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/direction_kinds.h"
#include "ceres/diagnosis/null_space.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// Fills result->residual_blocks with redundancy numbers. If they cannot be
// computed, result->message says why. Overwrites rows of constraints in the
// Jacobian. spaces: of the parts. Throws Stopped.
void CheckResiduals(const Execution& execution, const DiagnosisOptions& options,
                    const DiagnosedProblem& problem,
                    const std::vector<NullSpace>& spaces,
                    ScaledJacobian* scaled, Diagnosis* result);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_RESIDUAL_CHECKS_H_
