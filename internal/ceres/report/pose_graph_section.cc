// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/pose_graph_section.h"

namespace ceres::internal {

PoseGraphSection CollectPoseGraph(const PoseGraphSummary& summary) {
  PoseGraphSection section;
  section.is_made = true;
  if (!summary.IsSolutionUsable()) section.message = summary.message;
  const PoseGraphCertificate& certificate = summary.certificate;
  section.start = PoseGraphStartToString(summary.initialization.start);
  section.start_cost = summary.initialization.cost;
  section.statement = PoseGraphStatementToString(certificate.statement);
  section.explanation = certificate.message;
  section.is_certified =
      certificate.statement == PoseGraphStatement::kCertified;
  section.is_anisotropic = certificate.is_anisotropic;
  section.cost = certificate.cost;
  section.lower_bound = certificate.lower_bound;
  section.gap = certificate.gap;
  section.steps = summary.steps;
  section.geodesic_initial_cost = summary.geodesic.initial_cost;
  section.geodesic_final_cost = summary.geodesic.final_cost;
  return section;
}

}  // namespace ceres::internal
