// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/householder_vector.h"

#include <vector>

#include "Eigen/Core"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// H = I - beta v v' is a reflection, or the identity, that maps x on the last
// axis.
void ExpectReflectsOnTheLastAxis(const Vector& x) {
  const int n = static_cast<int>(x.size());
  Vector v(n);
  double beta;
  ComputeHouseholderVector(x, &v, &beta);
  EXPECT_EQ(v[n - 1], 1.0);
  Matrix h(n, n);
  for (int i = 0; i < n; ++i) {
    const Vector unit = Vector::Unit(n, i);
    h.col(i) = ApplyHouseholderVector(unit, v, beta);
  }
  EXPECT_LE((h * h.transpose() - Matrix::Identity(n, n)).norm(), 1e-14);
  EXPECT_LE((h - h.transpose()).norm(), 1e-15);
  const double norm = x.stableNorm();
  const Vector image = ApplyHouseholderVector(x, v, beta);
  EXPECT_LE((image / norm - Vector::Unit(n, n - 1)).norm(), 1e-14)
      << "x = " << x.transpose();
}

TEST(HouseholderVector, ReflectsEveryVectorOnTheLastAxis) {
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

TEST(HouseholderVector, IsTheIdentityForZero) {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  Eigen::Vector3d v;
  double beta;
  ComputeHouseholderVector(zero, &v, &beta);
  EXPECT_EQ(beta, 0.0);
}

TEST(HouseholderVectorDeathTest, NeedsTwoElements) {
  const Vector x = Vector::Ones(1);
  Vector v(1);
  double beta;
  EXPECT_DEATH(ComputeHouseholderVector(x, &v, &beta),
               "at least two elements; this one has 1");
}

}  // namespace
}  // namespace ceres::internal
