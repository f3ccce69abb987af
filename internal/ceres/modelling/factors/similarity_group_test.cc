// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Sim3 for scales from exp(-12) to exp(12), and where its formulas change.

#include "ceres/factors/similarity_group.h"

#include <cmath>
#include <vector>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/jet.h"
#include "ceres/modelling/factors/lie_group_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::factors {
namespace {

// exp(m) in long double, by the series for m / 64 and six squarings.
RealMatrix Exponential(const RealMatrix& m) {
  RealMatrix result = Series(m / 64, 0);
  for (int i = 0; i < 6; ++i) result = (result * result).eval();
  return result;
}

// The integral of exp(s m) over 0 <= s <= 1: the upper right block of the
// exponential of [m, I; 0, 0].
RealMatrix Integral(const RealMatrix& m) {
  const Eigen::Index n = m.rows();
  RealMatrix block = RealMatrix::Zero(2 * n, 2 * n);
  block.topLeftCorner(n, n) = m;
  block.topRightCorner(n, n).setIdentity();
  return Exponential(block).topRightCorner(n, n);
}

// Angles to pi and scales to exp(12), also on both sides of the unit circle of
// (angle, logarithm of the scale), where series end.
std::vector<Tangent<Sim3>> ScaledTangents() {
  std::vector<Tangent<Sim3>> result;
  const auto add = [&result](double angle, double lambda) {
    const double phase = 0.7 * static_cast<double>(result.size());
    Tangent<Sim3> v;
    v << angle * std::cos(phase), angle * 0.6 * std::sin(phase),
        angle * 0.8 * std::sin(phase), 1.3, -0.4, 0.8, lambda;
    result.push_back(v);
  };
  for (double angle : {0.0, 1e-160, 1e-8, 1e-3, 0.5, 0.999, 1.001, 2.0, 3.0,
                       constants::pi - 1e-9}) {
    for (double size :
         {0.0, 1e-160, 1e-12, 1e-8, 1e-4, 0.3, 0.999, 1.001, 2.5, 12.0}) {
      add(angle, size);
      add(angle, -size);
    }
  }
  for (double phase : {0.1, 0.8, 1.5}) {
    for (double radius : {1.0 - 1e-12, 1.0 + 1e-12}) {
      add(radius * std::cos(phase), radius * std::sin(phase));
    }
  }
  return result;
}

TEST(Sim3Group, ExponentialMapsAgreeWithMatrixExponentials) {
  for (const Tangent<Sim3>& v : ScaledTangents()) {
    Element<Sim3> x;
    Sim3::Exp(v.data(), x.data());
    EXPECT_LE(
        ErrorInEps(MatrixOf<Sim3>(x), Exponential(Hat<Sim3>(v.cast<Real>()))),
        8)
        << v.transpose();
  }
}

TEST(Sim3Group, LogarithmsUndoExponentialMaps) {
  for (const Tangent<Sim3>& v : ScaledTangents()) {
    Element<Sim3> x;
    Tangent<Sim3> log;
    Sim3::Exp(v.data(), x.data());
    Sim3::Log(x.data(), log.data());
    EXPECT_LE(ErrorInEps(log, v.cast<Real>()), 16) << v.transpose();
  }
}

TEST(Sim3Group, JacobiansAgreeWithIntegralsOfMatrixExponentials) {
  const RealMatrix one = RealMatrix::Identity(7, 7);
  for (const Tangent<Sim3>& v : ScaledTangents()) {
    const RealMatrix exact = Integral(Commutators<Sim3>(v.cast<Real>()));
    Square<Sim3> left, inverse;
    Sim3::LeftJacobian(v.data(), left.data());
    Sim3::LeftJacobianInverse(v.data(), inverse.data());
    EXPECT_LE(ErrorInEps(left, exact), 12) << v.transpose();
    // Relative to the largest terms of the product.
    const RealMatrix product = inverse.cast<Real>() * exact;
    const RealMatrix terms = inverse.cast<Real>().cwiseAbs() * exact.cwiseAbs();
    EXPECT_LE(ErrorInEps(product, one, static_cast<double>(terms.maxCoeff())),
              32)
        << v.transpose();
  }
}

// Derivatives of a Jet, against central differences in long double.
TEST(Sim3Group, DerivativesAgreeWithDifferences) {
  using J = Jet<double, 7>;
  for (const Tangent<Sim3>& v : ScaledTangents()) {
    if (v.head<3>().norm() > 3.1) continue;  // Log has no derivative at pi.
    J moving[7], x[8], back[7];
    for (int i = 0; i < 7; ++i) moving[i] = J(v[i], i);
    Sim3::Exp(moving, x);
    Sim3::Log(x, back);
    for (int k = 0; k < 7; ++k) {
      const Real h = 1e-5L;
      Real plus[7], minus[7], high[8], low[8];
      for (int i = 0; i < 7; ++i) plus[i] = minus[i] = v[i];
      plus[k] += h;
      minus[k] -= h;
      Sim3::Exp(plus, high);
      Sim3::Exp(minus, low);
      for (int i = 0; i < 8; ++i) {
        const double difference =
            static_cast<double>((high[i] - low[i]) / (2 * h));
        EXPECT_NEAR(x[i].v[k], difference, 1e-9 * (1.0 + std::exp(v[6])))
            << v.transpose();
      }
      // The derivative of Log(Exp(v)) is the identity.
      for (int i = 0; i < 7; ++i) {
        EXPECT_NEAR(back[i].v[k], i == k ? 1.0 : 0.0, 1e-12) << v.transpose();
      }
    }
  }
}

TEST(Sim3Group, TakesTangentsThatAreNotFiniteWithoutHanging) {
  for (double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const double tangent[7] = {bad, 0.1, 0.2, 1.0, 2.0, 3.0, bad};
    double matrix[49];
    Sim3::LeftJacobian(tangent, matrix);
    EXPECT_FALSE(std::isfinite(matrix[21]));
  }
}

}  // namespace
}  // namespace ceres::factors
