// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Tests the parts of pose graph problems: error terms, the angle manifold, and
// the choice of the pose that is held constant.

#include <cmath>

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
  Constraint2d constraint;
  constraint.x = 1.0;
  constraint.y = 2.0;
  constraint.yaw_radians = 3.0;
  const PoseGraph2dErrorTerm term(constraint);
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
  Constraint2d constraint;
  constraint.information << 4, 1, 2, 1, 5, -1, 2, -1, 6;
  const PoseGraph2dErrorTerm term(constraint);
  const double zero = 0.0;
  const Eigen::Vector3d r(0.1, 0.2, -0.3);
  Eigen::Vector3d residual;
  ASSERT_TRUE(term(&zero, &zero, &zero, &r[0], &r[1], &r[2], residual.data()));
  EXPECT_NEAR(residual.squaredNorm(), r.dot(constraint.information * r), 1e-14);
}

TEST(PoseGraph3dErrorTerm, MeasuresRotationsBySmallAnglesAroundAxes) {
  const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, -2) / 3.0;
  constexpr double kAngle = 1e-4;
  Constraint3d constraint;
  constraint.t_be.p = Eigen::Vector3d(1, 2, 3);
  constraint.t_be.q = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitX());
  constraint.information.diagonal() << 1, 4, 9, 16, 25, 36;
  const PoseGraph3dErrorTerm term(constraint);
  Pose3d a;
  a.p = Eigen::Vector3d(-1, 0, 2);
  a.q = Eigen::AngleAxisd(1.1, Eigen::Vector3d(0, 0.6, 0.8));
  const Eigen::Vector3d shift(0.1, 0.2, 0.3);
  Pose3d b;
  b.p = a.p + a.q * (constraint.t_be.p + shift);
  b.q = a.q * Eigen::AngleAxisd(kAngle, axis) * constraint.t_be.q;
  Eigen::Matrix<double, 6, 1> residual;
  ASSERT_TRUE(term(a.p.data(), a.q.coeffs().data(), b.p.data(),
                   b.q.coeffs().data(), residual.data()));
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

TEST(BuildProblem, HoldsTheFirstPoseThatAConstraintTouches) {
  PoseGraph2d graph;
  for (const int id : {1, 4, 9}) graph.poses[id] = {};
  Constraint2d constraint;
  constraint.id_begin = 9;
  constraint.id_end = 4;
  graph.constraints.push_back(constraint);
  Problem problem;
  BuildProblem(&graph, &problem);
  EXPECT_EQ(problem.NumParameterBlocks(), 6);
  EXPECT_TRUE(problem.IsParameterBlockConstant(&graph.poses[4].x));
  EXPECT_TRUE(problem.IsParameterBlockConstant(&graph.poses[4].yaw_radians));
  EXPECT_FALSE(problem.IsParameterBlockConstant(&graph.poses[9].y));
  EXPECT_TRUE(problem.HasManifold(&graph.poses[9].yaw_radians));
}

}  // namespace
}  // namespace ceres::examples
