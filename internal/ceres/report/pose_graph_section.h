// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_POSE_GRAPH_SECTION_H_
#define CERES_INTERNAL_REPORT_POSE_GRAPH_SECTION_H_

#include "ceres/pose_graph.h"
#include "ceres/report/report_data.h"

namespace ceres::internal {

// The start, the steps and the certificate of a call.
PoseGraphSection CollectPoseGraph(const PoseGraphSummary& summary);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_POSE_GRAPH_SECTION_H_
