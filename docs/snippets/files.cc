// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Reads a pose graph, estimates a landmark, and gives the file back.

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "ceres/factors/landmark.h"
#include "ceres/io/g2o.h"

namespace {

constexpr char kFile[] = R"(# Two poses see a tree.
VERTEX_SE2 0 0 0 0
VERTEX_SE2 1 4 0 1.5707963267948966  # looks along y
FIX 0 1
VERTEX_XY 8646911284551352320 1 1    # the tree
EDGE_SE2_XY 0 8646911284551352320 2.1 3.0 100 0 100
EDGE_SE2_XY 1 8646911284551352320 3.0 1.9 100 0 100
)";

using Graph = ceres::io::PoseGraph;
using Factor = ceres::factors::LandmarkFactor<ceres::factors::SE2>;

void Solve(Graph* graph) {
  // [build]
  ceres::Problem problem;
  std::map<int, std::array<double, 3>> poses;  // angle, x, y
  for (const Graph::Edge& edge : graph->edges) {
    if (edge.type != Graph::EdgeType::kLandmark) continue;
    const Graph::Values& x = graph->vertices[edge.x].value;
    double* const pose =
        poses.insert({edge.x, {x[2], x[0], x[1]}}).first->second.data();
    Eigen::Matrix<double, 2, 2, Eigen::RowMajor> W;
    if (!ceres::io::SquareRootInformation(edge.information.data(), 2,
                                          W.data())) {
      continue;
    }
    problem.AddResidualBlock(
        Factor::Create(Eigen::Vector2d(edge.measurement.data()), W), nullptr,
        pose, graph->vertices[edge.y].value.data());
    if (graph->vertices[edge.x].is_fixed) {
      problem.SetParameterBlockConstant(pose);
    }
  }
  // [/build]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
}

}  // namespace

int main() {
  // [read]
  Graph graph;
  std::string error;
  if (!ceres::io::ParseG2o(kFile, "tree.g2o", {}, &graph, &error)) {
    std::printf("%s\n", error.c_str());
    return 1;
  }
  // [/read]
  Solve(&graph);
  for (Graph::Vertex& vertex : graph.vertices) {
    // Digits that do not depend on the machine.
    for (double& value : vertex.value) {
      if (vertex.is_landmark) value = std::round(value * 1e6) / 1e6;
    }
  }
  // [write]
  std::string text;
  if (!ceres::io::FormatG2o(graph, &text, &error)) return 1;
  std::printf("%s\n", text.c_str());
  // [/write]

  // [error]
  const std::string broken = "VERTEX_SE2 0 0 0 0\nVERTEX_SE2 1 1,5 0 0\n";
  if (!ceres::io::ParseG2o(broken, "broken.g2o", {}, &graph, &error)) {
    std::printf("%s\n", error.c_str());
  }
  // [/error]
}
