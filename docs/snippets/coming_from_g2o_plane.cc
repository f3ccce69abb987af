// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A pose graph of the plane, given as the lines of a g2o file, with the factors
// of ceres/factors.

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "ceres/factors/factors.h"
#include "ceres/io/g2o.h"

namespace {

// A square of 2 m that is driven once, with full information matrices.
constexpr char kGraph[] = R"(
VERTEX_SE2 0 0 0 0
VERTEX_SE2 1 2.1 0.1 1.6
VERTEX_SE2 2 2.2 2.3 3.1
VERTEX_SE2 3 -0.2 2.4 -1.5
EDGE_SE2 0 1 2.1 0 1.5708 100 10 20 90 5 400
EDGE_SE2 1 2 2.0 0.1 1.5708 100 10 20 90 5 400
EDGE_SE2 2 3 2.1 0 1.5708 100 10 20 90 5 400
EDGE_SE2 3 0 2.0 0 1.5708 100 10 20 90 5 400
)";

// [order]
// The place in a g2o record of each coordinate of an SE2: angle, x, y.
constexpr int kPlace[3] = {2, 0, 1};

std::array<double, 3> AngleFirst(const double* g2o) {
  return {g2o[kPlace[0]], g2o[kPlace[1]], g2o[kPlace[2]]};
}

Eigen::Matrix3d AngleFirst(const Eigen::Matrix3d& g2o) {
  return g2o(kPlace, kPlace);
}
// [/order]

}  // namespace

int main() {
  ceres::io::PoseGraph graph;
  std::string error;
  if (!ceres::io::ParseG2o(kGraph, "graph.g2o", {}, &graph, &error)) {
    std::printf("%s\n", error.c_str());
    return 1;
  }
  // [graph]
  using Factor = ceres::factors::BetweenFactor<ceres::factors::SE2>;
  std::vector<std::array<double, 3>> poses;
  for (const auto& vertex : graph.vertices) {
    poses.push_back(AngleFirst(vertex.value.data()));
  }
  ceres::Problem problem;
  for (auto& pose : poses) {
    problem.AddParameterBlock(pose.data(), 3, new ceres::factors::SE2Manifold);
  }
  for (const auto& edge : graph.edges) {
    const Eigen::Matrix3d information =
        AngleFirst(Eigen::Matrix3d(edge.information.data()));  // Symmetric.
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> U;
    if (!ceres::io::SquareRootInformation(information.data(), 3, U.data())) {
      return 1;
    }
    const std::array<double, 3> z = AngleFirst(edge.measurement.data());
    problem.AddResidualBlock(Factor::Create(z.data(), U), nullptr,
                             poses[edge.x].data(), poses[edge.y].data());
  }
  problem.SetParameterBlockConstant(poses[0].data());
  // [/graph]
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::printf("chi2 %.2f -> %.2f\n", 2.0 * summary.initial_cost,
              2.0 * summary.final_cost);
  for (const auto& pose : poses) {
    std::printf("%6.3f %6.3f, heading %6.3f\n", pose[1], pose[2], pose[0]);
  }
}
