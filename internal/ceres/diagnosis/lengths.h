// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_LENGTHS_H_
#define CERES_INTERNAL_DIAGNOSIS_LENGTHS_H_

#include <vector>

#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/direction_kinds.h"

namespace ceres::internal {

// Marks the directions along which only the length of one parameter block
// changes, whatever its values are: a quaternion, a direction or homogeneous
// coordinates without a manifold. J x = 0 is tested at the user's values and at
// values nearby, since one coordinate may lie along x by chance.
//
// Nothing changes if the problem cannot be evaluated nearby. Throws Stopped,
// and what user code throws.
void FindLengths(const ScaledJacobian& scaled, DiagnosedProblem* problem,
                 std::vector<FoundDirection>* directions);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_LENGTHS_H_
