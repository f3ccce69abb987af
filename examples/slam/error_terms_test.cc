// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Tests the parts of pose graph problems: error terms, the angle manifold, and
// the choice of the pose that is held constant.

#include <cmath>
#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/constants.h"
#include "ceres/problem.h"
#include "gtest/gtest.h"
#include "slam/pose_graph_2d/angle_manifold.h"
#include "slam/pose_graph_2d/pose_graph_2d_error_term.h"
#include "slam/pose_graph_2d/pose_graph_2d_problem.h"
#include "slam/pose_graph_3d/pose_graph_3d_error_term.h"

namespace ceres::examples {
namespace {

TEST(PoseGraph2dErrorTerm, VanishesWhereThePosesAreAsMeasured) {
  io::PoseGraph::Edge edge;
  edge.measurement = {1.0, 2.0, 3.0};
  edge.information = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const PoseGraph2dErrorTerm term(edge);
  // A quarter turn at (5, 6): b is at (5 - 2, 6 + 1), turned on by 3 radians.
  const double half_pi = std::acos(0.0);
  const double x_a = 5.0, y_a = 6.0, yaw_a = half_pi;
  const double x_b = 3.0, y_b = 7.0;
  const double yaw_b = half_pi + 3.0 - 4.0 * half_pi;
  double residual[3];
  ASSERT_TRUE(term(&x_a, &y_a, &yaw_a, &x_b, &y_b, &yaw_b, residual));
  for (const double r : residual) EXPECT_NEAR(r, 0.0, 1e-14);
}

TEST(PoseGraph2dErrorTerm, SquaredNormIsWeighedByTheInformation) {
  io::PoseGraph::Edge edge;
  edge.information = {4, 1, 2, 1, 5, -1, 2, -1, 6};
  const PoseGraph2dErrorTerm term(edge);
  const double zero = 0.0;
  const Eigen::Vector3d r(0.1, 0.2, -0.3);
  Eigen::Vector3d residual;
  ASSERT_TRUE(term(&zero, &zero, &zero, &r[0], &r[1], &r[2], residual.data()));
  EXPECT_NEAR(residual.squaredNorm(), r.dot(InformationOf<3>(edge) * r), 1e-14);
}

TEST(PoseGraph3dErrorTerm, MeasuresRotationsBySmallAnglesAroundAxes) {
  const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, -2) / 3.0;
  constexpr double kAngle = 1e-4;
  const Eigen::Vector3d p_ab(1, 2, 3);
  const Eigen::Quaterniond q_ab(
      Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX()));
  io::PoseGraph::Edge edge;
  edge.measurement = {1, 2, 3, q_ab.x(), q_ab.y(), q_ab.z(), q_ab.w()};
  for (int i = 0; i < 6; ++i) edge.information[7 * i] = (i + 1) * (i + 1);
  const PoseGraph3dErrorTerm term(edge);
  const Eigen::Vector3d p_a(-1, 0, 2);
  const Eigen::Quaterniond q_a(
      Eigen::AngleAxisd(1.1, Eigen::Vector3d(0, 0.6, 0.8)));
  const Eigen::Vector3d shift(0.1, 0.2, 0.3);
  const Eigen::Vector3d p_b = p_a + q_a * (p_ab + shift);
  const Eigen::Quaterniond q_b = q_a * Eigen::AngleAxisd(kAngle, axis) * q_ab;
  Eigen::Matrix<double, 6, 1> residual;
  ASSERT_TRUE(term(p_a.data(), q_a.coeffs().data(), p_b.data(),
                   q_b.coeffs().data(), residual.data()));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(residual[i], (i + 1) * shift[i], 1e-14);
    // 2 sin(angle / 2) is the angle but for its cube.
    EXPECT_NEAR(residual[3 + i], (i + 4) * kAngle * axis[i], 1e-11);
  }
}

TEST(AngleManifold, GoesTheShortWayRound) {
  const AngleManifold manifold;
  const double x = 3.0, y = -3.0;
  double y_minus_x = 0.0;
  ASSERT_TRUE(manifold.Minus(&y, &x, &y_minus_x));
  EXPECT_NEAR(y_minus_x, 2.0 * constants::pi - 6.0, 1e-15);
  double sum = 0.0;
  ASSERT_TRUE(manifold.Plus(&x, &y_minus_x, &sum));
  EXPECT_NEAR(sum, y, 1e-15);
}

// A graph of the plane with these poses.
io::PoseGraph GraphOf(const std::vector<std::uint64_t>& ids) {
  io::PoseGraph graph;
  for (const std::uint64_t id : ids) {
    graph.vertices.emplace_back();
    graph.vertices.back().id = id;
  }
  return graph;
}

TEST(BuildProblem, HoldsTheFirstPoseThatAnEdgeTouches) {
  io::PoseGraph graph = GraphOf({1, 9, 4});
  io::PoseGraph::Edge edge;
  edge.x = 1;
  edge.y = 2;
  graph.edges.push_back(edge);
  Problem problem;
  BuildPlanarProblem(&graph, &problem);
  EXPECT_EQ(problem.NumParameterBlocks(), 6);
  double* const nine = graph.vertices[1].value.data();
  double* const four = graph.vertices[2].value.data();
  EXPECT_TRUE(problem.IsParameterBlockConstant(four));
  EXPECT_TRUE(problem.IsParameterBlockConstant(four + 2));
  EXPECT_FALSE(problem.IsParameterBlockConstant(nine + 1));
  EXPECT_TRUE(problem.HasManifold(nine + 2));
}

TEST(BuildProblem, HoldsFixedVerticesAndNoOthers) {
  io::PoseGraph graph = GraphOf({1, 9, 4});
  graph.vertices[1].is_fixed = true;
  for (const int y : {0, 2}) {
    io::PoseGraph::Edge edge;
    edge.x = 1;
    edge.y = y;
    graph.edges.push_back(edge);
  }
  Problem problem;
  BuildPlanarProblem(&graph, &problem);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(problem.IsParameterBlockConstant(&graph.vertices[i].value[k]),
                i == 1);
    }
  }
}

}  // namespace
}  // namespace ceres::examples
