// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "slam/pose_graph_3d/pose_graph_3d_problem.h"

#include "ceres/autodiff_cost_function.h"
#include "ceres/manifold.h"
#include "ceres/normal_prior.h"
#include "slam/common/gauge.h"
#include "slam/pose_graph_3d/pose_graph_3d_error_term.h"
#include "slam/pose_graph_3d/sensor_error_terms_3d.h"

namespace ceres::examples {
namespace {

using EdgeType = io::PoseGraph::EdgeType;

void AddEdge(const io::PoseGraph::Edge& edge, io::PoseGraph* graph,
             Problem* problem) {
  constexpr io::PoseGraph::Values kIdentity = {0.0, 0.0, 0.0, 0.0,
                                               0.0, 0.0, 1.0};
  double* const a = graph->vertices[edge.x].value.data();
  double* const b = edge.y < 0 ? nullptr : graph->vertices[edge.y].value.data();
  const io::PoseGraph::Values& sensor =
      edge.offset < 0 ? kIdentity : graph->offsets[edge.offset].pose;
  switch (edge.type) {
    case EdgeType::kRelativePose:
      problem->AddResidualBlock(PoseGraph3dErrorTerm::Create(edge), nullptr, a,
                                a + 3, b, b + 3);
      break;
    case EdgeType::kLandmark:
      problem->AddResidualBlock(
          new AutoDiffCostFunction<LandmarkError3d, 3, 3, 4, 3>(
              new LandmarkError3d(edge, sensor)),
          nullptr, a, a + 3, b);
      break;
    case EdgeType::kPose:
      problem->AddResidualBlock(new AutoDiffCostFunction<PriorError3d, 6, 3, 4>(
                                    new PriorError3d(edge, sensor)),
                                nullptr, a, a + 3);
      break;
    case EdgeType::kPosition: {
      const Eigen::Matrix3d u = SquareRootInformationOf<3>(edge);
      problem->AddResidualBlock(
          new NormalPrior(u, Eigen::Vector3d(edge.measurement.data())), nullptr,
          a);
      break;
    }
    case EdgeType::kBearing:
    case EdgeType::kBearingAndRange:
      break;  // Graphs of the plane have these only.
  }
}

}  // namespace

void BuildSpatialProblem(io::PoseGraph* graph, Problem* problem) {
  for (const io::PoseGraph::Edge& edge : graph->edges) {
    AddEdge(edge, graph, problem);
  }
  const int held = VertexToHold(*graph);
  Manifold* quaternion_manifold = nullptr;
  for (int i = 0; i < static_cast<int>(graph->vertices.size()); ++i) {
    io::PoseGraph::Vertex& vertex = graph->vertices[i];
    double* const value = vertex.value.data();
    if (!problem->HasParameterBlock(value)) continue;
    const bool is_constant = vertex.is_fixed || i == held;
    if (is_constant) problem->SetParameterBlockConstant(value);
    // Only a prior of its position may touch a pose.
    if (vertex.is_landmark || !problem->HasParameterBlock(value + 3)) continue;
    if (is_constant) problem->SetParameterBlockConstant(value + 3);
    if (quaternion_manifold == nullptr) {
      quaternion_manifold = new EigenQuaternionManifold;
    }
    problem->SetManifold(value + 3, quaternion_manifold);
  }
}

}  // namespace ceres::examples
