// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_SCENE_SECTION_H_
#define CERES_INTERNAL_REPORT_SCENE_SECTION_H_

#include "ceres/html_report.h"
#include "ceres/report/report_data.h"

namespace ceres::internal {

// Samples at most max_samples points, poses and edges each. Edges between poses
// that were not sampled, and edges that name no pose, are left out. A `before`
// of another size is left out.
SceneSection CollectScene(const ReportScene& before, const ReportScene& after,
                          int max_samples);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_SCENE_SECTION_H_
