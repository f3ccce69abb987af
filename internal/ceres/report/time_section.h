// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_TIME_SECTION_H_
#define CERES_INTERNAL_REPORT_TIME_SECTION_H_

#include "ceres/parallel/trace.h"
#include "ceres/report/report_data.h"
#include "ceres/solver.h"

namespace ceres::internal {

inline constexpr int kTimelineIntervals = 600;
inline constexpr int kMaxTimelineThreads = 64;

// trace: null, or a stopped trace. Threads beyond kMaxTimelineThreads are left
// out.
TimeSection CollectTime(const Solver::Summary& summary,
                        const parallel::Trace* trace);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_TIME_SECTION_H_
