// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "slam/pose_graph_2d/pose_graph_2d_problem.h"

#include "ceres/autodiff_cost_function.h"
#include "ceres/autodiff_manifold.h"
#include "slam/common/gauge.h"
#include "slam/pose_graph_2d/angle_manifold.h"
#include "slam/pose_graph_2d/pose_graph_2d_error_term.h"
#include "slam/pose_graph_2d/sensor_error_terms_2d.h"

namespace ceres::examples {
namespace {

using EdgeType = io::PoseGraph::EdgeType;

void AddEdge(const io::PoseGraph::Edge& edge, io::PoseGraph* graph,
             Problem* problem) {
  double* const a = graph->vertices[edge.x].value.data();
  double* const b = edge.y < 0 ? nullptr : graph->vertices[edge.y].value.data();
  const io::PoseGraph::Values sensor = edge.offset < 0
                                           ? io::PoseGraph::Values{}
                                           : graph->offsets[edge.offset].pose;
  switch (edge.type) {
    case EdgeType::kRelativePose:
      problem->AddResidualBlock(PoseGraph2dErrorTerm::Create(edge), nullptr, a,
                                a + 1, a + 2, b, b + 1, b + 2);
      break;
    case EdgeType::kLandmark:
      problem->AddResidualBlock(
          new AutoDiffCostFunction<LandmarkError2d, 2, 1, 1, 1, 2>(
              new LandmarkError2d(edge, sensor)),
          nullptr, a, a + 1, a + 2, b);
      break;
    case EdgeType::kBearing:
      problem->AddResidualBlock(
          new AutoDiffCostFunction<BearingError2d<1>, 1, 1, 1, 1, 2>(
              new BearingError2d<1>(edge, sensor)),
          nullptr, a, a + 1, a + 2, b);
      break;
    case EdgeType::kBearingAndRange:
      problem->AddResidualBlock(
          new AutoDiffCostFunction<BearingError2d<2>, 2, 1, 1, 1, 2>(
              new BearingError2d<2>(edge, sensor)),
          nullptr, a, a + 1, a + 2, b);
      break;
    case EdgeType::kPose:
      problem->AddResidualBlock(
          new AutoDiffCostFunction<PriorError2d, 3, 1, 1, 1>(
              new PriorError2d(edge)),
          nullptr, a, a + 1, a + 2);
      break;
    case EdgeType::kPosition:
      if (graph->vertices[edge.x].is_landmark) {
        problem->AddResidualBlock(
            new AutoDiffCostFunction<LandmarkPriorError2d, 2, 2>(
                new LandmarkPriorError2d{PositionError2d(edge)}),
            nullptr, a);
      } else {
        problem->AddResidualBlock(
            new AutoDiffCostFunction<PositionError2d, 2, 1, 1>(
                new PositionError2d(edge)),
            nullptr, a, a + 1);
      }
      break;
  }
}

}  // namespace

void BuildPlanarProblem(io::PoseGraph* graph, Problem* problem) {
  for (io::PoseGraph::Vertex& vertex : graph->vertices) {
    if (vertex.is_landmark) continue;
    vertex.value[2] = NormalizeAngle(vertex.value[2]);
  }
  for (const io::PoseGraph::Edge& edge : graph->edges) {
    AddEdge(edge, graph, problem);
  }
  const int held = VertexToHold(*graph);
  Manifold* angle_manifold = nullptr;
  for (int i = 0; i < static_cast<int>(graph->vertices.size()); ++i) {
    io::PoseGraph::Vertex& vertex = graph->vertices[i];
    double* const value = vertex.value.data();
    if (!problem->HasParameterBlock(value)) continue;
    const int num_blocks = vertex.is_landmark ? 1 : 3;
    for (int k = 0; k < num_blocks && (vertex.is_fixed || i == held); ++k) {
      if (!problem->HasParameterBlock(value + k)) continue;
      problem->SetParameterBlockConstant(value + k);
    }
    // Only a prior of its position may touch a pose.
    if (vertex.is_landmark || !problem->HasParameterBlock(value + 2)) continue;
    if (angle_manifold == nullptr) {
      angle_manifold = new AutoDiffManifold<AngleManifold, 1, 1>;
    }
    problem->SetManifold(value + 2, angle_manifold);
  }
}

}  // namespace ceres::examples
