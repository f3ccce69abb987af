// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled, not run: a program that counts on the headers to include glog's, as
// those of Ceres 2.2 do.

#define VESTA_INCLUDE_GLOG
#include "ceres/ceres.h"

void CheckAndLog(const ceres::Solver::Summary& summary) {
  CHECK_GE(summary.num_threads_used, 1);
  DCHECK(summary.IsSolutionUsable());
  LOG(INFO) << summary.BriefReport();
}
