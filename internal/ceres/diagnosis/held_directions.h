// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_HELD_DIRECTIONS_H_
#define CERES_INTERNAL_DIAGNOSIS_HELD_DIRECTIONS_H_

#include "ceres/diagnosis.h"
#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/direction_kinds.h"
#include "ceres/diagnosis/direction_writer.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// Appends to result->held the directions that only priors hold, and those that
// only constraints hold. Throws Stopped.
void FindHeldDirections(const Execution& execution,
                        const DiagnosedProblem& problem,
                        const ScaledJacobian& scaled, double weak_ratio,
                        const DirectionWriter& writer, Diagnosis* result);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_HELD_DIRECTIONS_H_
