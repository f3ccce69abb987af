// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/factors/lie_group.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/similarity_group.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/jet.h"
#include "ceres/manifold_test_utils.h"
#include "ceres/modelling/factors/lie_group_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::factors {
namespace {

template <typename G>
class LieGroups : public testing::Test {};
using Groups =
    testing::Types<SO2, SE2, SO3, EigenSO3, SE3, EigenSE3, Sim3, EigenSim3>;
TYPED_TEST_SUITE(LieGroups, Groups);

TYPED_TEST(LieGroups, ExponentialMapsAgreeWithMatrixExponentials) {
  using G = TypeParam;
  for (const Tangent<G>& v : Tangents<G>()) {
    Element<G> x;
    G::Exp(v.data(), x.data());
    const RealMatrix exact = Series(Hat<G>(v.template cast<Real>()), 0);
    EXPECT_LE(ErrorInEps(MatrixOf<G>(x), exact), 8) << v.transpose();
  }
}

TYPED_TEST(LieGroups, LogarithmsUndoExponentialMapsFromZeroToPi) {
  using G = TypeParam;
  for (const Tangent<G>& v : Tangents<G>()) {
    Element<G> x;
    Tangent<G> log;
    G::Exp(v.data(), x.data());
    G::Log(x.data(), log.data());
    // Errors are relative to the tangent: small motions keep their digits. That
    // of the logarithm of a scale is absolute.
    constexpr int n = std::min(G::kTangentSize, 6);
    const double unit = v.template head<n>().cwiseAbs().maxCoeff();
    EXPECT_LE(
        ErrorInEps(log.template head<n>(),
                   v.template head<n>().template cast<Real>(), unit + 1e-300),
        16)
        << v.transpose() << "\n"
        << log.transpose();
    if constexpr (G::kTangentSize == 7) {
      EXPECT_NEAR(log[6], v[6], 2 * kEps);
    }
  }
}

TYPED_TEST(LieGroups, ProductsInversesAndAdjointsAreThoseOfMatrices) {
  using G = TypeParam;
  const std::vector<Tangent<G>> tangents = Tangents<G>();
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    const Tangent<G>& v = tangents[(7 * i + 5) % tangents.size()];
    Element<G> a, b, ab, between, inverse, one;
    G::Exp(tangents[i].data(), a.data());
    G::Exp(v.data(), b.data());
    G::Compose(a.data(), b.data(), ab.data());
    G::Between(a.data(), b.data(), between.data());
    G::Inverse(a.data(), inverse.data());
    G::Identity(one.data());
    const RealMatrix A = MatrixOf<G>(a);
    const RealMatrix B = MatrixOf<G>(b);
    EXPECT_LE(ErrorInEps(MatrixOf<G>(ab), RealMatrix(A * B)), 16);
    EXPECT_LE(ErrorInEps(RealMatrix(A * MatrixOf<G>(between)), B), 32);
    EXPECT_LE(
        ErrorInEps(RealMatrix(A * MatrixOf<G>(inverse)), MatrixOf<G>(one)), 32);

    Square<G> adjoint;
    G::Adjoint(a.data(), adjoint.data());
    const RealMatrix conjugate =
        A * Hat<G>(v.template cast<Real>()) * MatrixOf<G>(inverse);
    EXPECT_LE(ErrorInEps((adjoint * v).eval(), Vee<G>(conjugate)), 32);
  }
}

TYPED_TEST(LieGroups, JacobiansAgreeWithSeriesOfCommutators) {
  using G = TypeParam;
  constexpr int n = G::kTangentSize;
  for (const Tangent<G>& v : Tangents<G>()) {
    const RealMatrix ad = Commutators<G>(v.template cast<Real>());
    Square<G> left, left_inverse, right, right_inverse;
    G::LeftJacobian(v.data(), left.data());
    G::LeftJacobianInverse(v.data(), left_inverse.data());
    G::RightJacobian(v.data(), right.data());
    G::RightJacobianInverse(v.data(), right_inverse.data());
    const RealMatrix exact = Series(ad, 1);
    EXPECT_LE(ErrorInEps(left, exact), 8) << v.transpose();
    EXPECT_LE(ErrorInEps(right, RealMatrix(Series(-ad, 1))), 8)
        << v.transpose();
    // The exact Jacobian times the computed inverse.
    const RealMatrix one = RealMatrix::Identity(n, n);
    EXPECT_LE(
        ErrorInEps(RealMatrix(exact * left_inverse.template cast<Real>()), one),
        32)
        << v.transpose();
    EXPECT_LE(ErrorInEps(RealMatrix(Series(-ad, 1) *
                                    right_inverse.template cast<Real>()),
                         one),
              32)
        << v.transpose();
  }
}

TYPED_TEST(LieGroups, DerivativesOfJetsAreTheJacobians) {
  using G = TypeParam;
  constexpr int n = G::kTangentSize;
  using J = Jet<double, n>;
  for (const Tangent<G>& v : Tangents<G>()) {
    J base[n], step[n], moving[n];
    for (int i = 0; i < n; ++i) {
      base[i] = J(v[i]);
      step[i] = J(0.0, i);
      moving[i] = J(v[i], i);
    }
    J x[G::kAmbientSize], y[G::kAmbientSize], log[n];
    Square<G> by_jets, closed_form;
    G::Exp(base, x);
    G::Plus(x, step, y);
    G::Log(y, log);
    for (int i = 0; i < n; ++i) by_jets.row(i) = log[i].v.transpose();
    G::RightJacobianInverse(v.data(), closed_form.data());
    EXPECT_LE((by_jets - closed_form).norm(), 200 * kEps) << v.transpose();

    G::Exp(moving, y);
    G::Minus(y, x, log);
    for (int i = 0; i < n; ++i) by_jets.row(i) = log[i].v.transpose();
    G::RightJacobian(v.data(), closed_form.data());
    EXPECT_LE((by_jets - closed_form).norm(), 200 * kEps) << v.transpose();
  }
}

// Jacobians that are functions of Jets, against differences in long double.
TYPED_TEST(LieGroups, DerivativesOfJacobiansAgreeWithDifferences) {
  using G = TypeParam;
  constexpr int n = G::kTangentSize;
  using J = Jet<double, 1>;
  for (double size : {0.0, 0.5, 1.5}) {
    J v[n], jacobian[2 * n * n];
    Real plus[n], minus[n], high[2 * n * n], low[2 * n * n];
    const Real h = 1e-6L;
    for (int i = 0; i < n; ++i) {
      const double direction = 0.3 + 0.1 * i;
      v[i] = J(size * std::cos(2.0 * i), 0);
      v[i].v[0] = direction;
      plus[i] = v[i].a + h * static_cast<Real>(direction);
      minus[i] = v[i].a - h * static_cast<Real>(direction);
    }
    G::LeftJacobian(v, jacobian);
    G::LeftJacobian(plus, high);
    G::LeftJacobian(minus, low);
    G::RightJacobianInverse(v, jacobian + n * n);
    G::RightJacobianInverse(plus, high + n * n);
    G::RightJacobianInverse(minus, low + n * n);
    for (int i = 0; i < 2 * n * n; ++i) {
      EXPECT_NEAR(jacobian[i].v[0],
                  static_cast<double>((high[i] - low[i]) / (2 * h)), 1e-10);
    }
  }
}

TYPED_TEST(LieGroups, ManifoldsPerturbOnTheRight) {
  using G = TypeParam;
  const GroupManifold<G> manifold;
  for (double size : {0.0, 0.4, 0.9}) {
    Tangent<G> a, b, delta;
    for (int k = 0; k < G::kTangentSize; ++k) {
      a[k] = size * (1.5 - 0.7 * k);
      b[k] = 0.3 * k - 0.8;
      delta[k] = 0.2 - 0.07 * k;
    }
    Element<G> x, y, motion, moved, expected;
    G::Exp(a.data(), x.data());
    G::Exp(b.data(), y.data());
    EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, 1e-9);

    G::Exp(delta.data(), motion.data());
    G::Compose(x.data(), motion.data(), expected.data());
    ASSERT_TRUE(manifold.Plus(x.data(), delta.data(), moved.data()));
    EXPECT_EQ(moved, expected);
  }
}

TEST(NormalizeAngle, KeepsAnglesAndRemovesTurns) {
  for (double angle : {0.0, -0.0, 1e-300, 3.0, -constants::pi, constants::pi}) {
    EXPECT_EQ(NormalizeAngle(angle), angle);
  }
  // 2 pi in long double; turns up to a thousand.
  const Real two_pi = 6.283185307179586476925286766559L;
  for (int turns : {-1000, -3, -1, 1, 2, 777}) {
    for (double rest : {-3.1, -1.0, 0.25, 3.1}) {
      const double angle = rest + 2.0 * constants::pi * turns;
      const Real exact = static_cast<Real>(angle) - turns * two_pi;
      EXPECT_NEAR(NormalizeAngle(angle), static_cast<double>(exact), 4 * kEps);
    }
  }
}

}  // namespace
}  // namespace ceres::factors
