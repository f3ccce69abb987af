// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_REPORT_JSON_H_
#define CERES_INTERNAL_REPORT_REPORT_JSON_H_

#include <string>

#include "ceres/report/report_data.h"

namespace ceres::internal {

// The report as one JSON object, which the script of the page reads. Lists of
// structs are lists by member: {"cost": [..], "time": [..]}.
std::string ReportToJson(const ReportData& report);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_REPORT_JSON_H_
