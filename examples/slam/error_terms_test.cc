// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Tests the parts of pose graph problems: error terms, the angle manifold, and
// the choice of the pose that is held constant.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/constants.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"
#include "slam/common/pose_graph_problem.h"
#include "slam/pose_graph_2d/angle_manifold.h"
#include "slam/pose_graph_2d/pose_graph_2d_error_term.h"
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

using Type = io::PoseGraph::EdgeType;

// An edge with an information matrix that is not diagonal.
io::PoseGraph::Edge NewEdge(const io::PoseGraph& graph, Type type, int x, int y,
                            int offset, const io::PoseGraph::Values& z) {
  io::PoseGraph::Edge edge;
  edge.type = type;
  edge.x = x;
  edge.y = y;
  edge.offset = offset;
  edge.measurement = z;
  const int n = graph.ErrorSize(edge);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      edge.information[i * n + k] = i == k ? 2.0 + i : 0.3;
    }
  }
  return edge;
}

// Expects that exact measurements have the cost 0, and that a solve finds the
// vertices again.
void ExpectExact(io::PoseGraph graph) {
  const io::PoseGraph expected = graph;
  Problem problem;
  BuildProblem(&graph, &problem);
  double cost = -1.0;
  ASSERT_TRUE(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  EXPECT_LT(cost, 1e-25);
  std::vector<double*> blocks;
  problem.GetParameterBlocks(&blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int n = problem.ParameterBlockTangentSize(blocks[i]);
    std::vector<double> moved(problem.ParameterBlockSize(blocks[i]));
    Eigen::VectorXd step(n);
    for (int k = 0; k < n; ++k) {
      step[k] = 0.1 * std::sin(1.0 + 2.0 * i + 3.0 * k);
    }
    if (const Manifold* manifold = problem.GetManifold(blocks[i])) {
      manifold->Plus(blocks[i], step.data(), moved.data());
      std::copy(moved.begin(), moved.end(), blocks[i]);
    } else {
      for (int k = 0; k < n; ++k) blocks[i][k] += step[k];
    }
  }
  Solver::Options options;
  options.function_tolerance = options.parameter_tolerance = 1e-14;
  options.logging_type = SILENT;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_GT(summary.initial_cost, 1e-3);
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    for (int k = 0; k < 7; ++k) {
      EXPECT_NEAR(graph.vertices[i].value[k], expected.vertices[i].value[k],
                  1e-7)
          << i << " " << k;
    }
  }
}

TEST(BuildProblem, MeasuresAllThatSensorsOfThePlaneDo) {
  io::PoseGraph graph = GraphOf({3, 5, 9});
  graph.vertices[0].value = {1.0, 2.0, 0.5};
  graph.vertices[1].value = {3.0, 1.0, -2.5};
  graph.vertices[2].value = {4.0, 4.0};
  graph.vertices[2].is_landmark = true;
  graph.offsets.push_back({7, {0.5, -0.2, 1.2}});
  const auto local = [&](int pose, bool has_offset) {
    using SE2 = factors::SE2;
    const auto& p = graph.vertices[pose].value;
    const auto& o = graph.offsets[0].pose;
    const double x[3] = {p[2], p[0], p[1]};
    const double s[3] = {o[2], o[0], o[1]};
    std::array<double, 2> in_body, in_sensor;
    SE2::ActInverse(x, graph.vertices[2].value.data(), in_body.data());
    SE2::ActInverse(s, in_body.data(), in_sensor.data());
    return has_offset ? in_sensor : in_body;
  };
  auto l = local(0, false);
  graph.edges.push_back(
      NewEdge(graph, Type::kLandmark, 0, 2, -1, {l[0], l[1]}));
  l = local(1, true);
  graph.edges.push_back(NewEdge(graph, Type::kLandmark, 1, 2, 0, {l[0], l[1]}));
  l = local(1, false);
  const double angle = std::atan2(l[1], l[0]);
  const double range = std::hypot(l[0], l[1]);
  graph.edges.push_back(NewEdge(graph, Type::kBearing, 1, 2, -1, {angle}));
  graph.edges.push_back(
      NewEdge(graph, Type::kBearingAndRange, 1, 2, -1, {angle, range}));
  // A turn more is the same.
  graph.edges.push_back(NewEdge(graph, Type::kPose, 0, -1, -1,
                                {1.0, 2.0, 0.5 + 2.0 * constants::pi}));
  graph.edges.push_back(NewEdge(graph, Type::kPosition, 1, -1, -1, {3.0, 1.0}));
  graph.edges.push_back(NewEdge(graph, Type::kPosition, 2, -1, -1, {4.0, 4.0}));
  ExpectExact(graph);
}

TEST(BuildProblem, MeasuresAllThatSensorsInSpaceDo) {
  using SE3 = factors::EigenSE3;
  io::PoseGraph graph = GraphOf({3, 5, 9});
  graph.dimension = 3;
  const Eigen::Quaterniond q =
      Eigen::Quaterniond(0.5, 0.1, -0.7, 0.3).normalized();
  const Eigen::Quaterniond o =
      Eigen::Quaterniond(0.2, 0.9, 0.1, -0.3).normalized();
  graph.vertices[0].value = {1, 2, 3, q.x(), q.y(), q.z(), q.w()};
  graph.vertices[1].value = {0, 1, 0, o.x(), o.y(), o.z(), o.w()};
  graph.vertices[2].value = {4, 5, 6};
  graph.vertices[2].is_landmark = true;
  graph.offsets.push_back({7, {0.5, -0.2, 0.1, o.x(), o.y(), o.z(), o.w()}});
  const auto rotation_first = [](const io::PoseGraph::Values& v) {
    return std::array<double, 7>{v[3], v[4], v[5], v[6], v[0], v[1], v[2]};
  };
  for (const int i : {0, 1}) {
    const auto x = rotation_first(graph.vertices[i].value);
    const auto s = rotation_first(graph.offsets[0].pose);
    std::array<double, 7> sensor;
    SE3::Compose(x.data(), s.data(), sensor.data());
    double l[3];
    SE3::ActInverse(sensor.data(), graph.vertices[2].value.data(), l);
    graph.edges.push_back(
        NewEdge(graph, Type::kLandmark, i, 2, 0, {l[0], l[1], l[2]}));
    graph.edges.push_back(NewEdge(graph, Type::kPose, i, -1, 0,
                                  {sensor[4], sensor[5], sensor[6], sensor[0],
                                   sensor[1], sensor[2], sensor[3]}));
  }
  graph.edges.push_back(
      NewEdge(graph, Type::kPosition, 2, -1, -1, {4.0, 5.0, 6.0}));
  ExpectExact(graph);
}

TEST(BuildProblem, GivesEdgesWithoutInformationNoEffect) {
  io::PoseGraph graph = GraphOf({1, 2});
  io::PoseGraph::Edge edge;
  edge.x = 0;
  edge.y = 1;
  edge.measurement = {5.0, 6.0, 7.0};
  graph.edges.push_back(edge);
  Problem problem;
  BuildProblem(&graph, &problem);
  EXPECT_EQ(problem.NumResidualBlocks(), 1);
  double cost = -1.0;
  ASSERT_TRUE(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  EXPECT_EQ(cost, 0.0);
}

}  // namespace
}  // namespace ceres::examples
