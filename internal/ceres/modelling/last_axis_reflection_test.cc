// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/last_axis_reflection.h"

#include <vector>

#include "Eigen/Core"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// H is a reflection, or the identity, that maps x on the last axis.
void ExpectReflectsOnTheLastAxis(const Vector& x) {
  const int n = static_cast<int>(x.size());
  const LastAxisReflection<Eigen::Dynamic> reflection(x);
  Matrix h(n, n);
  for (int i = 0; i < n; ++i) {
    h.col(i) = reflection * Vector::Unit(n, i);
    for (int j = 0; j < n; ++j) EXPECT_NEAR(reflection(i, j), h(j, i), 1e-15);
  }
  EXPECT_LE((h * h.transpose() - Matrix::Identity(n, n)).norm(), 1e-14);
  EXPECT_LE((h - h.transpose()).norm(), 1e-15);
  const double norm = x.stableNorm();
  const Vector image = reflection * x;
  EXPECT_LE((image / norm - Vector::Unit(n, n - 1)).norm(), 1e-14)
      << "x = " << x.transpose();
}

TEST(LastAxisReflection, ReflectsEveryVectorOnTheLastAxis) {
  for (const int n : {2, 3, 4, 7}) {
    const Vector last = Vector::Unit(n, n - 1);
    for (int i = 0; i < n; ++i) {
      ExpectReflectsOnTheLastAxis(Vector::Unit(n, i));
      ExpectReflectsOnTheLastAxis(-2.0 * Vector::Unit(n, i));
    }
    for (const double epsilon : {1e-8, 1e-12, 1e-100, 1e-155, 1e-170}) {
      ExpectReflectsOnTheLastAxis(last + epsilon * Vector::Unit(n, 0));
      ExpectReflectsOnTheLastAxis(-last + epsilon * Vector::Unit(n, 0));
      ExpectReflectsOnTheLastAxis(epsilon * Vector::Ones(n));
    }
    for (int i = 0; i < 20; ++i) {
      ExpectReflectsOnTheLastAxis(Vector::Random(n));
      ExpectReflectsOnTheLastAxis(1e200 * Vector::Random(n));
    }
  }
}

TEST(LastAxisReflection, IsTheIdentityForZero) {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  const LastAxisReflection<3> reflection(zero);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(reflection(i, j), i == j ? 1.0 : 0.0);
  }
}

TEST(LastAxisReflectionDeathTest, NeedsTwoElements) {
  const Vector x = Vector::Ones(1);
  EXPECT_DEATH(LastAxisReflection<Eigen::Dynamic>{x},
               "at least two elements; this one has 1");
}

}  // namespace
}  // namespace ceres::internal
