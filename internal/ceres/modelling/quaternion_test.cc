// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/constants.h"
#include "ceres/jet.h"
#include "ceres/modelling/rotation_test_utils.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using constants::pi;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using RowMajorMatrix3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

TEST(AngleAxisToQuaternion, MatchesClosedForms) {
  ExpectNear(ToQuaternion({0, 0, 0}), Vector4d(1, 0, 0, 0), 0);
  const double half = std::sqrt(0.5);
  ExpectNear(ToQuaternion({pi / 2, 0, 0}), Vector4d(half, half, 0, 0), 2e-16);
  ExpectNear(ToQuaternion({0, pi, 0}), Vector4d(0, 0, 1, 0), 1e-16);
  ExpectNear(ToQuaternion({0, 0, -2 * pi}), Vector4d(-1, 0, 0, 0), 2e-16);
  ExpectNear(ToQuaternion({0, 0, 1e-200}), Vector4d(1, 0, 0, 5e-201), 0);
}

TEST(QuaternionToAngleAxis, BothSignsAreTheShortRotation) {
  RandomRotations random;
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector4d q = random.UnitQuaternion();
    const Vector3d angle_axis = ToAngleAxis(q);
    EXPECT_LE(angle_axis.norm(), pi * (1 + 1e-15));
    ExpectNear(ToAngleAxis(Vector4d(-q)), angle_axis, 1e-15);
  }
  const Vector4d nearly_minus_one(-1, 0, -1e-180, 0);
  EXPECT_DOUBLE_EQ(ToAngleAxis(nearly_minus_one)[1], 2e-180);
}

TEST(QuaternionToAngleAxis, DerivativesOfTheRoundTripAreTheIdentity) {
  using Jet3 = Jet<double, 3>;
  RandomRotations random;
  for (const double angle : DifficultAngles()) {
    const auto angle_axis = Variables<Jet3>(angle * random.Axis());
    Jet3 q[4];
    Jet3 back[3];
    AngleAxisToQuaternion(angle_axis.data(), q);
    QuaternionToAngleAxis(q, back);
    for (int i = 0; i < 3; ++i) {
      ExpectNear(back[i].v, Vector3d::Unit(i), 3e-15);
    }
  }
}

// A quaternion times s has the same rotation, and derivatives divided by s.
TEST(Quaternion, RotationsAndDerivativesDoNotDependOnTheNorm) {
  using Jet4 = Jet<double, 4>;
  const Vector4d unit_quaternion = Vector4d(0.4, -0.2, 0.8, -0.3);
  const auto evaluate = [&](double size) {
    Jet4 q[4];
    for (int i = 0; i < 4; ++i) q[i] = Jet4(size * unit_quaternion[i], i);
    const Jet4 point[3] = {Jet4(1.0), Jet4(2.0), Jet4(-3.0)};
    Eigen::Matrix<Jet4, 15, 1> results;
    QuaternionRotatePoint(q, point, results.data());
    QuaternionToAngleAxis(q, results.data() + 3);
    QuaternionToRotation(q, results.data() + 6);
    return results;
  };
  const auto expected = evaluate(1.0);
  for (const double size :
       {0x1p-1000, 1e-300, 1e-160, 1e-100, 1e-20, 1e20, 1e100, 1e160, 1e300}) {
    const auto results = evaluate(size);
    for (int i = 0; i < 15; ++i) {
      EXPECT_NEAR(results[i].a, expected[i].a, 1e-14) << size << " " << i;
      EXPECT_LT((results[i].v * size - expected[i].v).norm(), 1e-13)
          << size << " " << i;
    }
  }
}

TEST(Quaternion, ZeroHasNoRotation) {
  const double zero[4] = {0.0, 0.0, 0.0, 0.0};
  const double point[3] = {1.0, 2.0, 3.0};
  double result[3];
  QuaternionRotatePoint(zero, point, result);
  EXPECT_TRUE(std::isnan(result[0]));
}

TEST(RotationMatrixToQuaternion, IsRightInEachOfItsFourCases) {
  // One dominant component each, of either sign.
  for (int dominant = 0; dominant < 4; ++dominant) {
    for (const double sign : {1.0, -1.0}) {
      Vector4d q(0.1, -0.2, 0.3, -0.15);
      q[dominant] = sign * 2;
      q.normalize();
      const Matrix3d R =
          Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      Vector4d actual;
      RotationMatrixToQuaternion(R.data(), actual.data());
      ExpectNear(actual, sign * q, 4e-16);
      Vector4d other;
      RotationMatrixToQuaternion<EigenQuaternionOrder>(R.data(), other.data());
      ExpectNear(other, Vector4d(actual[1], actual[2], actual[3], actual[0]),
                 3e-16);
      const RowMajorMatrix3d row_major = R;
      RotationMatrixToQuaternion(RowMajorAdapter3x3(row_major.data()),
                                 other.data());
      ExpectNear(other, actual, 3e-16);
    }
  }
}

TEST(Quaternion, ConjugateInverts) {
  const Vector4d q = RandomRotations().UnitQuaternion();
  Vector4d conjugate;
  QuaternionConjugate(q.data(), conjugate.data());
  Vector4d product;
  QuaternionProduct(q.data(), conjugate.data(), product.data());
  ExpectNear(product, Vector4d::Unit(0), 5e-16);
  Vector4d in_place = q;
  QuaternionConjugate(in_place.data(), in_place.data());
  EXPECT_EQ(in_place, conjugate);
  QuaternionConjugate<EigenQuaternionOrder>(in_place.data(), in_place.data());
  EXPECT_EQ(in_place, Vector4d(-q[0], q[1], q[2], -q[3]));
}

Matrix3d QuaternionMatrix(const Vector4d& q) {
  Matrix3d R;
  QuaternionToRotation(q.data(), ColumnMajorAdapter3x3(R.data()));
  return R;
}

TEST(Quaternion, ToRotationMatchesEigenForAnyNorm) {
  RandomRotations random;
  for (const double norm : {1.0, 1e-3, 20.0}) {
    const Vector4d unit = random.UnitQuaternion();
    const Vector4d q = norm * unit;
    const Matrix3d expected =
        Eigen::Quaterniond(unit[0], unit[1], unit[2], unit[3])
            .toRotationMatrix();
    ExpectNear(QuaternionMatrix(q), expected, 1e-15);
    RowMajorMatrix3d row_major;
    QuaternionToRotation(q.data(), row_major.data());
    ExpectNear(row_major, QuaternionMatrix(q), 5e-16);
    QuaternionToScaledRotation(q.data(), row_major.data());
    ExpectNear(row_major / (norm * norm), expected, 1e-15);
  }
}

TEST(Quaternion, EigenOrderGivesTheSameResults) {
  RandomRotations random;
  const Vector4d z = random.UnitQuaternion();
  const Vector4d w = random.UnitQuaternion();
  const Vector3d point = random.Gaussian();
  const auto to_eigen = [](const Vector4d& q) {
    return Vector4d(q[1], q[2], q[3], q[0]);
  };
  const Vector4d ez = to_eigen(z);
  const Vector4d ew = to_eigen(w);

  Vector4d zw;
  Vector4d ezw;
  QuaternionProduct(z.data(), w.data(), zw.data());
  QuaternionProduct<EigenQuaternionOrder>(ez.data(), ew.data(), ezw.data());
  ExpectNear(ezw, to_eigen(zw), 3e-16);

  Vector3d rotated;
  Vector3d erotated;
  UnitQuaternionRotatePoint(z.data(), point.data(), rotated.data());
  UnitQuaternionRotatePoint<EigenQuaternionOrder>(ez.data(), point.data(),
                                                  erotated.data());
  ExpectNear(erotated, rotated, 2e-15);
  QuaternionRotatePoint<EigenQuaternionOrder>(ez.data(), point.data(),
                                              erotated.data());
  ExpectNear(erotated, rotated, 2e-15);

  Matrix3d eR;
  QuaternionToRotation<EigenQuaternionOrder>(ez.data(),
                                             ColumnMajorAdapter3x3(eR.data()));
  ExpectNear(eR, QuaternionMatrix(z), 5e-16);

  const Vector3d angle_axis = ToAngleAxis(z);
  Vector3d eangle_axis;
  QuaternionToAngleAxis<EigenQuaternionOrder>(ez.data(), eangle_axis.data());
  ExpectNear(eangle_axis, angle_axis, 1e-15);
  Vector4d back;
  AngleAxisToQuaternion<EigenQuaternionOrder>(angle_axis.data(), back.data());
  ExpectNear(back, to_eigen(ToQuaternion(angle_axis)), 3e-16);
}

TEST(Quaternion, RotatePointDerivativesMatchDifferences) {
  using Jet7 = Jet<double, 7>;
  RandomRotations random;
  const Vector4d quaternion = 1.7 * random.UnitQuaternion();
  const Vector3d point = random.Gaussian();
  Eigen::Matrix<double, 7, 1> x;
  x << quaternion, point;
  Jet7 jets[7];
  for (int i = 0; i < 7; ++i) {
    jets[i] = Jet7(x[i], i);
  }
  Jet7 result[3];
  QuaternionRotatePoint(jets, jets + 4, result);
  constexpr double h = 1e-6;
  for (int k = 0; k < 7; ++k) {
    Eigen::Matrix<double, 7, 1> plus = x;
    Eigen::Matrix<double, 7, 1> minus = x;
    plus[k] += h;
    minus[k] -= h;
    Vector3d forward;
    Vector3d backward;
    QuaternionRotatePoint(plus.data(), plus.data() + 4, forward.data());
    QuaternionRotatePoint(minus.data(), minus.data() + 4, backward.data());
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(result[i].v[k], (forward[i] - backward[i]) / (2 * h), 1e-9);
    }
  }
}

template <typename T, int N>
void ExpectSame(const T (&x)[N], const T (&y)[N]) {
  using std::abs;
  for (int i = 0; i < N; ++i) EXPECT_LE(abs(x[i] - y[i]), T(1e-6)) << i;
}

// Both spellings of explicit template arguments: the scalar first, as in
// Ceres 2.2, and the order of components first, as in 2.3.
template <typename T>
class ExplicitArgumentsTest : public ::testing::Test {};

using Scalars = ::testing::Types<float, double, Jet<double, 4>, Jet<float, 3>>;
TYPED_TEST_SUITE(ExplicitArgumentsTest, Scalars);

TYPED_TEST(ExplicitArgumentsTest, QuaternionFunctionsTakeScalarOrOrder) {
  using T = TypeParam;
  using Order = CeresQuaternionOrder;
  const T a[3] = {T(0.1), T(-0.2), T(0.3)};
  const T p[3] = {T(1), T(2), T(3)};
  T q[4], r[4], x[3], y[3], product[4], conjugate[4];
  AngleAxisToQuaternion<T>(a, q);
  AngleAxisToQuaternion<Order>(a, r);
  ExpectSame(q, r);
  QuaternionToAngleAxis<T>(q, x);
  QuaternionToAngleAxis<Order, T>(q, y);
  ExpectSame(x, y);
  UnitQuaternionRotatePoint<T>(q, p, x);
  UnitQuaternionRotatePoint<Order, T>(q, p, y);
  ExpectSame(x, y);
  QuaternionRotatePoint<T>(q, p, x);
  QuaternionRotatePoint<Order>(q, p, y);
  ExpectSame(x, y);
  QuaternionConjugate<T>(q, r);
  QuaternionConjugate<Order, T>(q, conjugate);
  ExpectSame(r, conjugate);
  QuaternionProduct<T>(q, conjugate, r);
  QuaternionProduct<Order>(q, conjugate, product);
  ExpectSame(r, product);
}

TYPED_TEST(ExplicitArgumentsTest, MatrixFunctionsTakeScalarOrOrder) {
  using T = TypeParam;
  using Order = CeresQuaternionOrder;
  const T a[3] = {T(0.1), T(-0.2), T(0.3)};
  T q[4], R[9], S[9];
  AngleAxisToQuaternion(a, q);
  QuaternionToRotation<T>(q, R);
  QuaternionToRotation<Order, T, 3, 1>(q, RowMajorAdapter3x3(S));
  ExpectSame(R, S);
  QuaternionToScaledRotation<T, 3, 1>(q, RowMajorAdapter3x3(R));
  QuaternionToScaledRotation<Order>(q, S);
  ExpectSame(R, S);
  AngleAxisToRotationMatrix<T>(a, R);
  AngleAxisToRotationMatrix<T, 1, 3>(a, ColumnMajorAdapter3x3(S));
  ExpectSame(R, S);
  const auto column_major = ColumnMajorAdapter3x3(static_cast<const T*>(R));
  T by_scalar[4], by_order[4];
  RotationMatrixToQuaternion<T>(R, by_scalar);
  RotationMatrixToQuaternion<Order>(R, by_order);
  ExpectSame(by_scalar, by_order);
  RotationMatrixToQuaternion<T, 1, 3>(column_major, q);
  RotationMatrixToQuaternion<Order, T, 1, 3>(column_major, by_order);
  ExpectSame(by_scalar, q);
  ExpectSame(by_scalar, by_order);
  T x[3], y[3];
  RotationMatrixToAngleAxis<T>(R, x);
  RotationMatrixToAngleAxis<T, 1, 3>(column_major, y);
  ExpectSame(x, y);
  AngleAxisRotatePoint<T>(a, a, x);
  AngleAxisRotatePoint(a, a, y);
  ExpectSame(x, y);
}

#ifndef NDEBUG
TEST(QuaternionDeathTest, OverlappingOutputsAreCaughtInDebugBuilds) {
  double x[4] = {1, 0, 0, 0};
  double y[4] = {1, 0, 0, 0};
  EXPECT_DEATH(QuaternionProduct(x, y, x), "in place");
  EXPECT_DEATH(QuaternionProduct(x, y, y), "in place");
  EXPECT_DEATH(UnitQuaternionRotatePoint(x, y, y), "in place");
  EXPECT_DEATH(QuaternionRotatePoint(x, y, y), "in place");
}
#endif

}  // namespace
}  // namespace ceres::internal
