// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sphere_manifold.h"

#include <cmath>
#include <vector>

#include "ceres/constants.h"
#include "ceres/internal/eigen.h"
#include "ceres/manifold_test_utils.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

constexpr double kTolerance = 1e-9;

// Points at which reflections onto the last axis behave differently.
std::vector<Vector> PointsOfDimension(int n) {
  std::vector<Vector> points;
  for (int i = 0; i < 5; ++i) points.push_back(Vector::Random(n));
  for (int i = 0; i < n; ++i) {
    points.push_back(Vector::Unit(n, i));
    points.push_back(-3.0 * Vector::Unit(n, i));
  }
  Vector close = Vector::Unit(n, n - 1);
  close[0] = 1e-9;
  points.push_back(close);
  points.push_back(-close);
  close[0] = 1e-160;
  points.push_back(close);
  return points;
}

void ExpectInvariantsHold(const Manifold& manifold) {
  const int n = manifold.AmbientSize();
  EXPECT_EQ(manifold.TangentSize(), n - 1);
  for (const Vector& x : PointsOfDimension(n)) {
    // A point of the same norm that is not opposite.
    const Vector y =
        (x.normalized() + 0.9 * Vector::Random(n).normalized()).normalized() *
        x.norm();
    for (const double angle : {0.0, 1e-3, 1.0, 3.1}) {
      const Vector delta = Vector::Random(n - 1).normalized() * angle;
      EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, kTolerance);
    }
  }
}

TEST(SphereManifold, InvariantsHold) {
  ExpectInvariantsHold(SphereManifold<2>());
  ExpectInvariantsHold(SphereManifold<3>());
  ExpectInvariantsHold(SphereManifold<4>(4));
  ExpectInvariantsHold(SphereManifold<DYNAMIC>(2));
  ExpectInvariantsHold(SphereManifold<DYNAMIC>(6));
}

TEST(SphereManifold, MovesByTheAngleAndKeepsTheNorm) {
  const SphereManifold<3> sphere;
  for (const Vector& x : PointsOfDimension(3)) {
    for (const double angle : {0.1, 1.0, 2.5}) {
      const Vector delta = Vector::Random(2).normalized() * angle;
      Vector y(3);
      ASSERT_TRUE(sphere.Plus(x.data(), delta.data(), y.data()));
      EXPECT_NEAR(y.norm() / x.norm(), 1.0, 1e-14);
      EXPECT_NEAR(x.dot(y) / x.squaredNorm(), std::cos(angle), 1e-14);
    }
  }
}

TEST(SphereManifold, FollowsItsFormulaAtTheLastAxis) {
  // There H is the identity.
  const SphereManifold<3> sphere;
  const double x[3] = {0, 0, 2}, delta[2] = {0.3, -0.4};
  double y[3];
  ASSERT_TRUE(sphere.Plus(x, delta, y));
  EXPECT_NEAR(y[0], 2 * std::sin(0.5) * 0.6, 1e-15);
  EXPECT_NEAR(y[1], 2 * std::sin(0.5) * -0.8, 1e-15);
  EXPECT_NEAR(y[2], 2 * std::cos(0.5), 1e-15);
  double jacobian[6];
  ASSERT_TRUE(sphere.PlusJacobian(x, jacobian));
  const double expected[6] = {2, 0, 0, 2, 0, 0};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(jacobian[i], expected[i]);
}

TEST(SphereManifold, TheOppositePointIsPiAwayAlongTheLastTangentAxis) {
  const SphereManifold<3> sphere;
  // Dyadic entries, so that H y is exact.
  const double x[3] = {0, 0, 2}, y[3] = {0, 0, -2};
  double delta[2];
  ASSERT_TRUE(sphere.Minus(y, x, delta));
  EXPECT_EQ(delta[0], 0.0);
  EXPECT_EQ(delta[1], constants::pi);
  double back[3];
  ASSERT_TRUE(sphere.Plus(x, delta, back));
  EXPECT_NEAR(back[2], -2, 1e-15);
  ASSERT_TRUE(sphere.Minus(x, x, delta));
  EXPECT_EQ(delta[0], 0.0);
  EXPECT_EQ(delta[1], 0.0);
}

TEST(SphereManifold, OutputMayBeTheInput) {
  const SphereManifold<3> sphere;
  double x[3] = {1, 2, 3}, y[3];
  const double delta[2] = {0.3, 0.1};
  ASSERT_TRUE(sphere.Plus(x, delta, y));
  ASSERT_TRUE(sphere.Plus(x, delta, x));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(x[i], y[i]);
}

TEST(SphereManifold, VeryLargeAndVerySmallPoints) {
  const SphereManifold<3> sphere;
  const double delta[2] = {0.3, -0.4};
  double unit[3];
  const double one[3] = {0.6, 0, 0.8};
  ASSERT_TRUE(sphere.Plus(one, delta, unit));
  for (const double scale : {1e-200, 1e200}) {
    const double x[3] = {0.6 * scale, 0, 0.8 * scale};
    double y[3], back[2];
    ASSERT_TRUE(sphere.Plus(x, delta, y));
    ASSERT_TRUE(sphere.Minus(y, x, back));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(y[i] / scale, unit[i], 1e-14);
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(back[i], delta[i], 1e-14);
  }
}

TEST(SphereManifold, ThereIsNoDirectionAtZero) {
  const SphereManifold<2> sphere;
  const double zero[2] = {0, 0}, y[2] = {1, 0};
  double delta, jacobian[2];
  EXPECT_FALSE(sphere.Minus(y, zero, &delta));
  EXPECT_FALSE(sphere.MinusJacobian(zero, jacobian));
}

TEST(SphereManifoldDeathTest, SizesAreChecked) {
  EXPECT_DEATH(SphereManifold<3>(4), "is not that of its type, 3");
  EXPECT_DEATH(SphereManifold<DYNAMIC>(1), "must be at least 2");
}

}  // namespace
}  // namespace ceres
