// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_DIAGNOSE_PROBLEM_H_
#define CERES_INTERNAL_DIAGNOSIS_DIAGNOSE_PROBLEM_H_

#include <cstddef>
#include <string>

#include "ceres/diagnosis.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// Diagnose, for a problem of which only the implementation is known.
void DiagnoseProblem(const DiagnosisOptions& options, ProblemImpl* problem,
                     Diagnosis* result);

// For the message of a computation that failed because a matrix is singular:
// sentences about the undetermined directions, then the weak ones, at the
// user's values. Cause and remedy stand for at most max_directions >= 1
// of them, each text once.
// Parameter blocks without residuals are left out. Empty if there is no such
// direction, or if the diagnosis stops, fails or throws: then the failure keeps
// the message that it has.
//
// Does not change the problem. Takes at most about ten seconds.
std::string DescribeDirections(DiagnosisOptions options,
                               std::size_t max_directions,
                               ProblemImpl* problem) noexcept;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_DIAGNOSE_PROBLEM_H_
