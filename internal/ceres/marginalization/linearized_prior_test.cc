// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linearized_prior.h"

#include <cmath>
#include <random>
#include <vector>

#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"
#include "ceres/marginalization/linear_cost_test_utils.h"
#include "ceres/product_manifold.h"
#include "ceres/sphere_manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using internal::RandomMatrix;
using internal::RandomVector;
using Pose = ProductManifold<QuaternionManifold, EuclideanManifold<3>>;

TEST(LinearizedPriorTest, EuclideanResidualsAreAffine) {
  std::mt19937 random(1);
  const Matrix a = RandomMatrix(4, 5, &random);
  const Vector b = RandomVector(4, &random);
  const Vector x0 = RandomVector(2, &random), y0 = RandomVector(3, &random);
  const Vector x = RandomVector(2, &random), y = RandomVector(3, &random);
  const LinearizedPrior prior(a, b, {{x0, nullptr}, {y0, nullptr}});
  Vector difference(5);
  difference << x - x0, y - y0;
  const double* parameters[] = {x.data(), y.data()};
  Vector r(4);
  Matrix jx(4, 2), jy(4, 3);
  double* jacobians[] = {jx.data(), jy.data()};
  ASSERT_TRUE(prior.Evaluate(parameters, r.data(), jacobians));
  EXPECT_LT((r - (a * difference + b)).norm(), 1e-14);
  EXPECT_EQ(jx, a.leftCols(2));
  EXPECT_EQ(jy, a.rightCols(3));
}

// The tangent Jacobian at x against central differences along Plus.
void ExpectTangentJacobian(const Manifold& manifold, const Vector& x0,
                           const Vector& x, double tolerance) {
  std::mt19937 random(2);
  const int n = manifold.TangentSize();
  const int size = manifold.AmbientSize();
  const Matrix a = RandomMatrix(n + 1, n, &random);
  const LinearizedPrior prior(a, RandomVector(n + 1, &random),
                              {{x0, &manifold}});
  const auto residuals = [&prior, n](const Vector& at) {
    const double* parameters[] = {at.data()};
    Vector r(n + 1);
    EXPECT_TRUE(prior.Evaluate(parameters, r.data(), nullptr));
    return r;
  };
  Matrix ambient(n + 1, size), tangent(n + 1, n);
  double* jacobians[] = {ambient.data()};
  const double* parameters[] = {x.data()};
  Vector r(n + 1);
  ASSERT_TRUE(prior.Evaluate(parameters, r.data(), jacobians));
  ASSERT_TRUE(manifold.RightMultiplyByPlusJacobian(
      x.data(), n + 1, ambient.data(), tangent.data()));
  for (int j = 0; j < n; ++j) {
    constexpr double kStep = 1e-5;
    Vector delta = Vector::Zero(n), ahead(size), behind(size);
    delta[j] = kStep;
    manifold.Plus(x.data(), delta.data(), ahead.data());
    delta[j] = -kStep;
    manifold.Plus(x.data(), delta.data(), behind.data());
    const Vector difference =
        (residuals(ahead) - residuals(behind)) / (2.0 * kStep);
    EXPECT_LT((tangent.col(j) - difference).norm(), tolerance) << j;
  }
}

TEST(LinearizedPriorTest, JacobiansOnManifoldsAreDerivatives) {
  const double turn[3] = {0.4, -0.3, 0.7};
  Vector q0(4), q(4);
  q0 << 0.5, 0.5, -0.5, 0.5;
  QuaternionManifold().Plus(q0.data(), turn, q.data());
  ExpectTangentJacobian(QuaternionManifold(), q0, q, 1e-8);

  Vector pose0(7), pose(7);
  pose0 << q0, 1.0, -2.0, 3.0e5;
  pose << q, 1.5, -2.5, 3.0001e5;
  ExpectTangentJacobian(Pose(), pose0, pose, 1e-4);  // 1e-10 of 3e5 by 1e-5

  Vector s0(3), s(3);
  s0 << 0.0, 0.6, 0.8;
  s << 0.48, 0.6, 0.64;
  ExpectTangentJacobian(SphereManifold<3>(), s0, s, 1e-8);

  const SubsetManifold subset(3, {1});
  ExpectTangentJacobian(subset, s0, s, 1e-8);
}

// For unit quaternions, with q = exp(v) q0, the derivative of
// Minus(Plus(q, d), q0) = log(exp(d) exp(v)) by d is the inverse of the left
// Jacobian of the rotation group. Quaternions take half of the angle, so |v| =
// t stands for a rotation by 2 t:
//
//   t cot(t) I + (1 - t cot(t)) a a' - t [a]x,   v = t a.
//
// Source: Barfoot, "State Estimation for Robotics", 2017, chapter 7.
TEST(LinearizedPriorTest, TheDerivativeOfMinusIsAccurate) {
  const QuaternionManifold manifold;
  Vector q0(4), q(4);
  q0 << 1.0, 0.0, 0.0, 0.0;
  const double turn[3] = {0.9, 0.0, 0.0};
  manifold.Plus(q0.data(), turn, q.data());
  const LinearizedPrior prior(Matrix::Identity(3, 3), Vector::Zero(3),
                              {{q0, &manifold}});
  Matrix ambient(3, 4), tangent(3, 3);
  double* jacobians[] = {ambient.data()};
  const double* parameters[] = {q.data()};
  Vector r(3);
  ASSERT_TRUE(prior.Evaluate(parameters, r.data(), jacobians));
  manifold.RightMultiplyByPlusJacobian(q.data(), 3, ambient.data(),
                                       tangent.data());
  const double t = turn[0];
  Matrix expected(3, 3);
  expected << 1, 0, 0, 0, t / std::tan(t), t, 0, -t, t / std::tan(t);
  EXPECT_LT((tangent - expected).norm(), 1e-11);
}

TEST(LinearizedPriorTest, ReportsAManifoldThatFails) {
  class NoMinus final : public Manifold {
    int AmbientSize() const override { return 1; }
    int TangentSize() const override { return 1; }
    bool Plus(const double*, const double*, double*) const override {
      return false;
    }
    bool PlusJacobian(const double*, double*) const override { return false; }
    bool Minus(const double*, const double*, double*) const override {
      return false;
    }
    bool MinusJacobian(const double*, double*) const override { return false; }
  };
  const NoMinus manifold;
  const LinearizedPrior prior(Matrix::Ones(1, 1), Vector::Ones(1),
                              {{Vector::Ones(1), &manifold}});
  const double x = 1.0;
  const double* parameters[] = {&x};
  double r;
  EXPECT_FALSE(prior.Evaluate(parameters, &r, nullptr));
}

TEST(LinearizedPriorDeathTest, ChecksSizes) {
  EXPECT_DEATH(LinearizedPrior(Matrix::Ones(1, 3), Vector::Ones(1),
                               {{Vector::Zero(2), nullptr}}),
               "tangent coordinates");
  EXPECT_DEATH(LinearizedPrior(Matrix::Ones(2, 2), Vector::Ones(1),
                               {{Vector::Zero(2), nullptr}}),
               "number of rows");
  EXPECT_DEATH(LinearizedPrior(Matrix::Ones(1, 2), Vector::Ones(1), {}),
               "needs a block");
}

}  // namespace
}  // namespace ceres
