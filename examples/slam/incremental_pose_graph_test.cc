// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalSolver on a published pose graph, fed pose by pose.

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/incremental_solver.h"
#include "ceres/io/g2o.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "slam/pose_graph_2d/normalize_angle.h"

namespace ceres::examples {
namespace {

using Pose = std::array<double, 3>;

// One parameter block per pose. Weights of the diagonal of the information.
struct Edge {
  explicit Edge(const io::PoseGraph::Edge& e)
      : m{e.measurement[0], e.measurement[1], e.measurement[2]},
        weight{std::sqrt(e.information[0]), std::sqrt(e.information[4]),
               std::sqrt(e.information[8])} {}

  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    using std::cos;
    using std::sin;
    const T c = cos(a[2]), s = sin(a[2]);
    const T dx = b[0] - a[0], dy = b[1] - a[1];
    r[0] = weight[0] * (c * dx + s * dy - m[0]);
    r[1] = weight[1] * (c * dy - s * dx - m[1]);
    r[2] = weight[2] * NormalizeAngle(b[2] - a[2] - m[2]);
    return true;
  }
  Pose m, weight;
};

TEST(IncrementalPoseGraph, ManhattanPoseByPoseIsNearTheBatchSolution) {
  const std::optional<std::string> text =
      internal::ReadSharedData("pose_graph/M3500.g2o");
  if (!text) {
    GTEST_SKIP() << "no pose graphs in " << internal::SharedDataFolder();
  }
  io::PoseGraph graph;
  std::string error;
  ASSERT_TRUE(io::ParseG2o(*text, "M3500", {}, &graph, &error)) << error;
  // Ids count from 0, and vertices are in their order.
  std::map<int, std::vector<io::PoseGraph::Edge>> edges;  // by later pose
  for (const io::PoseGraph::Edge& e : graph.edges) {
    edges[std::max(e.x, e.y)].push_back(e);
  }

  Problem problem;
  std::deque<Pose> poses = {{0.0, 0.0, 0.0}};
  problem.AddParameterBlock(poses[0].data(), 3);
  problem.SetParameterBlockConstant(poses[0].data());
  IncrementalSolver solver({}, &problem);
  IncrementalSolver::Summary summary;
  double num_eliminated = 0.0;
  for (const auto& [id, edges_of_pose] : edges) {
    ASSERT_EQ(edges_of_pose.front().x, id - 1);
    ASSERT_EQ(edges_of_pose.front().y, id);
    const io::PoseGraph::Values& m = edges_of_pose.front().measurement;
    const Pose& a = poses[id - 1];
    const double c = std::cos(a[2]), s = std::sin(a[2]);
    poses.push_back(
        {a[0] + c * m[0] - s * m[1], a[1] + s * m[0] + c * m[1], a[2] + m[2]});
    for (const io::PoseGraph::Edge& e : edges_of_pose) {
      problem.AddResidualBlock(
          new AutoDiffCostFunction<Edge, 3, 3, 3>(new Edge(e)), nullptr,
          poses[e.x].data(), poses[e.y].data());
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
}  // namespace ceres::examples
