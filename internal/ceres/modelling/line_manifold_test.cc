// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/line_manifold.h"

#include <cmath>

#include "ceres/internal/eigen.h"
#include "ceres/manifold_test_utils.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

constexpr double kTolerance = 1e-9;

void ExpectInvariantsHold(const Manifold& manifold, int n) {
  EXPECT_EQ(manifold.AmbientSize(), 2 * n);
  EXPECT_EQ(manifold.TangentSize(), 2 * (n - 1));
  for (int trial = 0; trial < 10; ++trial) {
    Vector x = Vector::Random(2 * n);
    if (trial == 1) x.tail(n) = Vector::Unit(n, n - 1);
    if (trial == 2) x.tail(n) = -2.0 * Vector::Unit(n, n - 1);
    if (trial == 3) x.tail(n) = Vector::Unit(n, 0);
    const Vector d = x.tail(n);
    // A line with an origin across from that of x and a direction of the same
    // norm: what Plus can reach.
    Vector y(2 * n);
    const Vector step = Vector::Random(n);
    y.head(n) = x.head(n) + step - d * d.dot(step) / d.squaredNorm();
    y.tail(n) =
        (d.normalized() + 0.9 * Vector::Random(n).normalized()).normalized() *
        d.norm();
    Vector delta = Vector::Random(2 * (n - 1));
    if (trial == 4) delta.setZero();
    if (trial == 5) delta.tail(n - 1).setZero();
    EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, kTolerance);
  }
}

TEST(LineManifold, InvariantsHold) {
  ExpectInvariantsHold(LineManifold<2>(), 2);
  ExpectInvariantsHold(LineManifold<3>(), 3);
  ExpectInvariantsHold(LineManifold<4>(4), 4);
  ExpectInvariantsHold(LineManifold<DYNAMIC>(2), 2);
  ExpectInvariantsHold(LineManifold<DYNAMIC>(5), 5);
}

TEST(LineManifold, OriginMovesAtRightAnglesAndDirectionOnASphere) {
  const LineManifold<3> manifold;
  Vector x(6), y(6), step_of_origin(4), step_of_direction(4);
  x << 1, -2, 0.5, 0.3, 4, -1;
  step_of_origin << 0.7, -0.2, 0, 0;
  ASSERT_TRUE(manifold.Plus(x.data(), step_of_origin.data(), y.data()));
  EXPECT_EQ(y.tail(3), x.tail(3));
  const Vector step = y.head(3) - x.head(3);
  EXPECT_NEAR(step.dot(x.tail(3)), 0, 1e-14);
  EXPECT_NEAR(step.norm(), step_of_origin.norm(), 1e-14);

  step_of_direction << 0, 0, 0.6, 0.8;
  ASSERT_TRUE(manifold.Plus(x.data(), step_of_direction.data(), y.data()));
  EXPECT_EQ(y.head(3), x.head(3));
  EXPECT_NEAR(y.tail(3).norm(), x.tail(3).norm(), 1e-14);
  EXPECT_NEAR(x.tail(3).dot(y.tail(3)) / x.tail(3).squaredNorm(), std::cos(1.0),
              1e-14);
}

TEST(LineManifold, MovingTheOriginAlongTheLineIsNoMove) {
  const LineManifold<2> manifold;
  const double x[4] = {1, 2, 3, 4}, y[4] = {1 + 3 * 0.7, 2 + 4 * 0.7, 3, 4};
  double delta[2];
  ASSERT_TRUE(manifold.Minus(y, x, delta));
  EXPECT_NEAR(delta[0], 0, 1e-15);
  EXPECT_NEAR(delta[1], 0, 1e-15);
}

TEST(LineManifold, ThereIsNoDirectionAtZero) {
  const LineManifold<2> manifold;
  const double x[4] = {1, 2, 0, 0};
  double delta[2], jacobian[8];
  EXPECT_FALSE(manifold.Minus(x, x, delta));
  EXPECT_FALSE(manifold.MinusJacobian(x, jacobian));
}

TEST(LineManifoldDeathTest, SizesAreChecked) {
  EXPECT_DEATH(LineManifold<3>(2), "is not that of its type, 3");
  EXPECT_DEATH(LineManifold<DYNAMIC>(1), "must be at least 2");
}

}  // namespace
}  // namespace ceres
