// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_REPORTING_SUMMARY_JSON_H_
#define CERES_INTERNAL_SOLVER_REPORTING_SUMMARY_JSON_H_

#include "ceres/base/json_writer.h"
#include "ceres/solver.h"

namespace ceres::internal {

// The style of Solver::Summary::ToJson: a member per line, the same bits.
inline constexpr JsonStyle kSummaryStyle = {3, 2, true};

// Writes the members that Solver::Summary::ToJson has.
void AddSummary(const Solver::Summary& summary, JsonWriter* json);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_REPORTING_SUMMARY_JSON_H_
