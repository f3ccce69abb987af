// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalSolver on a published pose graph, fed pose by pose.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/incremental_solver.h"
#include "ceres/solver/whole_solves/shared_data.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Pose = std::array<double, 3>;

struct Edge {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    using std::cos;
    using std::floor;
    using std::sin;
    constexpr double kTurn = 2.0 * 3.14159265358979323846;
    const T c = cos(a[2]), s = sin(a[2]);
    const T dx = b[0] - a[0], dy = b[1] - a[1];
    T turn = b[2] - a[2] - m[2];
    turn -= kTurn * floor(turn / kTurn + 0.5);
    r[0] = weight[0] * (c * dx + s * dy - m[0]);
    r[1] = weight[1] * (c * dy - s * dx - m[1]);
    r[2] = weight[2] * turn;
    return true;
  }
  int begin, end;
  Pose m, weight;
};

// The edges by their later pose. Weights of the diagonal of the information.
std::map<int, std::vector<Edge>> ReadEdges(const std::string& text) {
  std::map<int, std::vector<Edge>> edges;
  std::istringstream lines(text);
  std::string line, tag;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words >> tag;
    if (tag != "EDGE_SE2") continue;
    Edge e = {};
    double i12 = 0.0, i13 = 0.0, i23 = 0.0;
    words >> e.begin >> e.end >> e.m[0] >> e.m[1] >> e.m[2] >> e.weight[0] >>
        i12 >> i13 >> e.weight[1] >> i23 >> e.weight[2];
    for (double& w : e.weight) w = std::sqrt(w);
    edges[std::max(e.begin, e.end)].push_back(e);
  }
  return edges;
}

TEST(IncrementalPoseGraph, ManhattanPoseByPoseIsNearTheBatchSolution) {
  const std::optional<std::string> text =
      ReadSharedData("pose_graph/M3500.g2o");
  if (!text) GTEST_SKIP() << "pose_graph/M3500.g2o is not there.";
  const std::map<int, std::vector<Edge>> edges = ReadEdges(*text);

  Problem problem;
  std::deque<Pose> poses = {{0.0, 0.0, 0.0}};
  problem.AddParameterBlock(poses[0].data(), 3);
  problem.SetParameterBlockConstant(poses[0].data());
  IncrementalSolver solver({}, &problem);
  IncrementalSolver::Summary summary;
  double num_eliminated = 0.0;
  for (const auto& [id, edges_of_pose] : edges) {
    const Edge& odometry = edges_of_pose.front();
    ASSERT_EQ(odometry.begin, id - 1);
    ASSERT_EQ(odometry.end, id);
    const Pose& a = poses[id - 1];
    const double c = std::cos(a[2]), s = std::sin(a[2]);
    const Pose& m = odometry.m;
    poses.push_back(
        {a[0] + c * m[0] - s * m[1], a[1] + s * m[0] + c * m[1], a[2] + m[2]});
    for (const Edge& e : edges_of_pose) {
      problem.AddResidualBlock(
          new AutoDiffCostFunction<Edge, 3, 3, 3>(new Edge(e)), nullptr,
          poses[e.begin].data(), poses[e.end].data());
    }
    solver.Update(&summary);
    ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
    num_eliminated += summary.num_blocks_eliminated;
  }
  const double n = static_cast<double>(poses.size());
  EXPECT_LT(num_eliminated, 0.05 * n * n / 2.0);  // of a solve per pose

  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.function_tolerance = 1e-12;
  IncrementalSolver::Comparison comparison;
  solver.CompareWithBatch(options, &comparison);
  ASSERT_TRUE(comparison.batch.IsSolutionUsable());
  EXPECT_LT(comparison.batch.initial_cost, 1.01 * comparison.batch.final_cost);
  EXPECT_LT(comparison.largest_difference, 0.5);
  EXPECT_NEAR(summary.predicted_cost, comparison.batch.initial_cost,
              0.01 * comparison.batch.initial_cost);
}

}  // namespace
}  // namespace ceres::internal
