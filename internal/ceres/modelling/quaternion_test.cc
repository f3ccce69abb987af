// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <array>
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

TEST(AngleAxisToQuaternion, MatchesClosedForms) {
  ExpectNear(ToQuaternion({0, 0, 0}), Vector4d(1, 0, 0, 0), 0);
  const double half = std::sqrt(0.5);
  ExpectNear(ToQuaternion({pi / 2, 0, 0}), Vector4d(half, half, 0, 0), 2e-16);
  ExpectNear(ToQuaternion({0, pi, 0}), Vector4d(0, 0, 1, 0), 1e-16);
  ExpectNear(ToQuaternion({0, 0, -2 * pi}), Vector4d(-1, 0, 0, 0), 2e-16);
  ExpectNear(ToQuaternion({0, 0, 1e-200}), Vector4d(1, 0, 0, 5e-201), 0);
}

TEST(AngleAxisToQuaternion, HasUnitNormAndTheDirectionOfTheAxis) {
  RandomRotations random;
  for (const double angle : DifficultAngles()) {
    const Vector3d axis = random.Axis();
    const Vector4d q = ToQuaternion(angle * axis);
    EXPECT_NEAR(q.norm(), 1, 3e-16);
    ExpectNear(q.tail<3>(), std::sin(angle / 2) * axis, 4e-16);
  }
}

TEST(QuaternionToAngleAxis, MatchesClosedForms) {
  ExpectNear(ToAngleAxis(Vector4d(1, 0, 0, 0)), Vector3d(0, 0, 0), 0);
  ExpectNear(ToAngleAxis(Vector4d(0, 0, 1, 0)), Vector3d(0, pi, 0), 0);
  ExpectNear(ToAngleAxis(Vector4d(std::sqrt(0.75), 0.5, 0, 0)),
             Vector3d(pi / 3, 0, 0), 3e-16);
  ExpectNear(ToAngleAxis(Vector4d(1, 0, 0, 5e-201)), Vector3d(0, 0, 1e-200), 0);
  EXPECT_EQ(ToAngleAxis(Vector4d(1, 0, 0, 5e-201))[2], 1e-200);
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

TEST(QuaternionToAngleAxis, InvertsAngleAxisToQuaternion) {
  RandomRotations random;
  for (const double angle : DifficultAngles()) {
    for (int trial = 0; trial < 20; ++trial) {
      const Vector3d angle_axis = angle * random.Axis();
      const Vector3d back = ToAngleAxis(ToQuaternion(angle_axis));
      // Close to pi the sign of the axis is down to rounding.
      const double sign =
          angle > pi - 1e-14 && back.dot(angle_axis) < 0 ? -1 : 1;
      ExpectNear(sign * back, angle_axis, 8e-16 * angle);
    }
  }
}

TEST(QuaternionToAngleAxis, DerivativesOfTheRoundTripAreTheIdentity) {
  using Jet3 = Jet<double, 3>;
  RandomRotations random;
  for (const double angle : DifficultAngles()) {
    const Vector3d axis = random.Axis();
    Jet3 angle_axis[3];
    for (int i = 0; i < 3; ++i) {
      angle_axis[i] = Jet3(angle * axis[i], i);
    }
    Jet3 q[4];
    Jet3 back[3];
    AngleAxisToQuaternion(angle_axis, q);
    QuaternionToAngleAxis(q, back);
    for (int i = 0; i < 3; ++i) {
      ExpectNear(back[i].v, Vector3d::Unit(i), 3e-15);
    }
  }
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
      Vector4d xyzw;
      RotationMatrixToQuaternion<EigenQuaternionOrder>(R.data(), xyzw.data());
      ExpectNear(xyzw, Vector4d(actual[1], actual[2], actual[3], actual[0]),
                 3e-16);
    }
  }
}

TEST(RotationMatrixToQuaternion, MatchesRandomMatricesInAnyLayout) {
  RandomRotations random;
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector4d q = random.UnitQuaternion();
    const Matrix3d R =
        Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    Vector4d actual;
    RotationMatrixToQuaternion(R.data(), actual.data());
    ExpectNear(actual * (actual.dot(q) > 0 ? 1 : -1), q, 1e-15);

    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> row_major = R;
    Vector4d of_row_major;
    RotationMatrixToQuaternion(RowMajorAdapter3x3(row_major.data()),
                               of_row_major.data());
    ExpectNear(of_row_major, actual, 3e-16);
    Vector3d angle_axis;
    RotationMatrixToAngleAxis(RowMajorAdapter3x3(row_major.data()),
                              angle_axis.data());
    ExpectNear(angle_axis, ToAngleAxis(R), 2e-15);
  }
}

TEST(Quaternion, OrdersConvert) {
  constexpr std::array<int, 4> wxyz =
      MakeQuaternion<CeresQuaternionOrder>(1, 2, 3, 4);
  constexpr std::array<int, 4> xyzw =
      MakeQuaternion<EigenQuaternionOrder>(1, 2, 3, 4);
  static_assert(wxyz[0] == 1 && wxyz[3] == 4);
  static_assert(xyzw[0] == 2 && xyzw[3] == 1);
  EXPECT_EQ(
      (ConvertQuaternion<EigenQuaternionOrder, CeresQuaternionOrder>(wxyz)),
      xyzw);
  EXPECT_EQ(
      (ConvertQuaternion<CeresQuaternionOrder, EigenQuaternionOrder>(xyzw)),
      wxyz);
  EXPECT_EQ(
      (ConvertQuaternion<EigenQuaternionOrder, EigenQuaternionOrder>(xyzw)),
      xyzw);
}

TEST(Quaternion, ProductFollowsHamilton) {
  const Vector4d one = Vector4d::Unit(0);
  const Vector4d i = Vector4d::Unit(1);
  const Vector4d j = Vector4d::Unit(2);
  const Vector4d k = Vector4d::Unit(3);
  const auto product = [](const Vector4d& z, const Vector4d& w) {
    Vector4d zw;
    QuaternionProduct(z.data(), w.data(), zw.data());
    return zw;
  };
  EXPECT_EQ(product(i, j), k);
  EXPECT_EQ(product(j, k), i);
  EXPECT_EQ(product(k, i), j);
  EXPECT_EQ(product(j, i), -k);
  EXPECT_EQ(product(i, i), -one);
  EXPECT_EQ(product(j, j), -one);
  EXPECT_EQ(product(k, k), -one);
  EXPECT_EQ(product(one, j), j);
  EXPECT_EQ(product(k, one), k);
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
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> row_major;
    QuaternionToRotation(q.data(), row_major.data());
    ExpectNear(row_major, QuaternionMatrix(q), 5e-16);
    QuaternionToScaledRotation(q.data(), row_major.data());
    ExpectNear(row_major / (norm * norm), expected, 1e-15);
  }
}

TEST(Quaternion, ProductOfQuaternionsIsProductOfRotations) {
  RandomRotations random;
  for (int trial = 0; trial < 100; ++trial) {
    const Vector4d z = random.UnitQuaternion();
    const Vector4d w = random.UnitQuaternion();
    Vector4d zw;
    QuaternionProduct(z.data(), w.data(), zw.data());
    ExpectNear(QuaternionMatrix(zw), QuaternionMatrix(z) * QuaternionMatrix(w),
               2e-15);
  }
}

TEST(Quaternion, RotatesPointsAsItsMatrix) {
  RandomRotations random;
  for (int trial = 0; trial < 100; ++trial) {
    const Vector4d q = random.UnitQuaternion();
    const Vector3d point = random.Gaussian();
    const Vector3d expected = QuaternionMatrix(q) * point;
    Vector3d rotated;
    UnitQuaternionRotatePoint(q.data(), point.data(), rotated.data());
    ExpectNear(rotated, expected, 4e-15);
    const Vector4d scaled = -7 * q;
    QuaternionRotatePoint(scaled.data(), point.data(), rotated.data());
    ExpectNear(rotated, expected, 4e-15);
  }
}

TEST(Quaternion, MatchesAngleAxis) {
  RandomRotations random;
  for (const double angle : DifficultAngles()) {
    const Vector3d angle_axis = angle * random.Axis();
    ExpectNear(QuaternionMatrix(ToQuaternion(angle_axis)), ToMatrix(angle_axis),
               2e-15);
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

template <typename T>
void ExpectSame(const T& x, const T& y) {
  using std::abs;
  EXPECT_LE(abs(x - y), T(1e-6));
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
  T q[2][4];
  AngleAxisToQuaternion<T>(a, q[0]);
  AngleAxisToQuaternion<Order>(a, q[1]);
  for (int i = 0; i < 4; ++i) {
    ExpectSame(q[0][i], q[1][i]);
  }
  T results[6][3];
  QuaternionToAngleAxis<T>(q[0], results[0]);
  QuaternionToAngleAxis<Order, T>(q[0], results[1]);
  UnitQuaternionRotatePoint<T>(q[0], p, results[2]);
  UnitQuaternionRotatePoint<Order, T>(q[0], p, results[3]);
  QuaternionRotatePoint<T>(q[0], p, results[4]);
  QuaternionRotatePoint<Order>(q[0], p, results[5]);
  T products[2][4];
  QuaternionProduct<T>(q[0], q[1], products[0]);
  QuaternionProduct<Order>(q[0], q[1], products[1]);
  T conjugates[2][4];
  QuaternionConjugate<T>(q[0], conjugates[0]);
  QuaternionConjugate<Order, T>(q[0], conjugates[1]);
  for (int i = 0; i < 3; ++i) {
    ExpectSame(results[0][i], results[1][i]);
    ExpectSame(results[2][i], results[3][i]);
    ExpectSame(results[4][i], results[5][i]);
    ExpectSame(products[0][i], products[1][i]);
    ExpectSame(conjugates[0][i], conjugates[1][i]);
  }
}

TYPED_TEST(ExplicitArgumentsTest, MatrixFunctionsTakeScalarOrOrder) {
  using T = TypeParam;
  using Order = CeresQuaternionOrder;
  const T a[3] = {T(0.1), T(-0.2), T(0.3)};
  T q[4];
  AngleAxisToQuaternion(a, q);
  T R[9];
  T S[9];
  QuaternionToRotation<T>(q, R);
  QuaternionToRotation<Order, T, 3, 1>(q, RowMajorAdapter3x3(S));
  for (int i = 0; i < 9; ++i) {
    ExpectSame(R[i], S[i]);
  }
  QuaternionToScaledRotation<T, 3, 1>(q, RowMajorAdapter3x3(R));
  QuaternionToScaledRotation<Order>(q, S);
  for (int i = 0; i < 9; ++i) {
    ExpectSame(R[i], S[i]);
  }
  AngleAxisToRotationMatrix<T>(a, R);
  AngleAxisToRotationMatrix<T, 1, 3>(a, ColumnMajorAdapter3x3(S));
  for (int i = 0; i < 9; ++i) {
    ExpectSame(R[i], S[i]);
  }
  const T* const_R = R;
  T quaternions[4][4];
  RotationMatrixToQuaternion<T>(R, quaternions[0]);
  RotationMatrixToQuaternion<Order>(R, quaternions[1]);
  RotationMatrixToQuaternion<T, 1, 3>(ColumnMajorAdapter3x3(const_R),
                                      quaternions[2]);
  RotationMatrixToQuaternion<Order, T, 1, 3>(ColumnMajorAdapter3x3(const_R),
                                             quaternions[3]);
  for (int i = 0; i < 4; ++i) {
    ExpectSame(quaternions[0][i], quaternions[1][i]);
    ExpectSame(quaternions[0][i], quaternions[2][i]);
    ExpectSame(quaternions[0][i], quaternions[3][i]);
  }
  T angle_axis[2][3];
  RotationMatrixToAngleAxis<T>(R, angle_axis[0]);
  RotationMatrixToAngleAxis<T, 1, 3>(ColumnMajorAdapter3x3(const_R),
                                     angle_axis[1]);
  T rotated[2][3];
  AngleAxisRotatePoint<T>(a, a, rotated[0]);
  AngleAxisRotatePoint(a, a, rotated[1]);
  for (int i = 0; i < 3; ++i) {
    ExpectSame(angle_axis[0][i], angle_axis[1][i]);
    ExpectSame(rotated[0][i], rotated[1][i]);
  }
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
