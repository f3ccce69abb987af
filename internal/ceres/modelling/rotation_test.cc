// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/rotation.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/constants.h"
#include "ceres/jet.h"
#include "ceres/modelling/rotation_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using constants::pi;
using Eigen::Matrix3d;
using Eigen::Vector3d;

// exp([a]x) p in the arithmetic of T: power series of [a]x / 2^10, applied 2^10
// times. Nothing here resembles the formulas under test.
template <typename T>
std::array<T, 3> Exponential(const std::array<T, 3>& a,
                             const std::array<T, 3>& p) {
  constexpr int kNumSteps = 1024;
  const T scale(1.0L / kNumSteps);
  const std::array<T, 3> s = {a[0] * scale, a[1] * scale, a[2] * scale};
  std::array<T, 3> x = p;
  for (int step = 0; step < kNumSteps; ++step) {
    std::array<T, 3> term = x;
    for (int n = 1; n <= 12; ++n) {
      const T inverse(1.0L / n);
      term = {(s[1] * term[2] - s[2] * term[1]) * inverse,
              (s[2] * term[0] - s[0] * term[2]) * inverse,
              (s[0] * term[1] - s[1] * term[0]) * inverse};
      for (int i = 0; i < 3; ++i) {
        x[i] += term[i];
      }
    }
  }
  return x;
}

Matrix3d ExponentialMatrix(const Vector3d& a) {
  Matrix3d R;
  for (int i = 0; i < 3; ++i) {
    std::array<long double, 3> unit = {};
    unit[i] = 1;
    const auto column = Exponential<long double>({a[0], a[1], a[2]}, unit);
    for (int j = 0; j < 3; ++j) {
      R(j, i) = static_cast<double>(column[j]);
    }
  }
  return R;
}

TEST(AngleAxisToRotationMatrix, IsTheMatrixExponential) {
  RandomRotations random;
  std::vector<double> angles = DifficultAngles();
  angles.insert(angles.end(), {pi, 4.0, 2 * pi, 10.0});
  for (const double angle : angles) {
    const Vector3d angle_axis = angle * random.Axis();
    const Matrix3d R = ToMatrix(angle_axis);
    ExpectNear(R, ExponentialMatrix(angle_axis), 1e-15 * (1 + angle));
    ExpectNear(R * R.transpose(), Matrix3d::Identity(), 2e-15);
  }
}

TEST(AngleAxisToRotationMatrix, DerivativesMatchTheExponential) {
  using Jet3 = Jet<double, 3>;
  using LongJet3 = Jet<long double, 3>;
  RandomRotations random;
  std::vector<double> angles = DifficultAngles();
  angles.insert(angles.end(), {pi, 2 * pi - 1e-7, 2 * pi, 10.0});
  for (const double angle : angles) {
    const Vector3d angle_axis = angle * random.Axis();
    const auto a = Variables<Jet3>(angle_axis);
    const auto long_a = Variables<LongJet3>(angle_axis);
    Jet3 R[9];
    AngleAxisToRotationMatrix(a.data(), R);
    const Matrix3d scalars = ToMatrix(angle_axis);
    for (int col = 0; col < 3; ++col) {
      std::array<LongJet3, 3> unit = {};
      unit[col] = LongJet3(1.0L);
      const auto expected = Exponential<LongJet3>(long_a, unit);
      for (int row = 0; row < 3; ++row) {
        const Jet3& actual = R[3 * col + row];
        EXPECT_NEAR(actual.a, scalars(row, col), 2e-15);
        ExpectNear(actual.v, expected[row].v.cast<double>(), 5e-15);
      }
    }
  }
}

// The inner derivatives of a nested Jet take another path than the outer ones.
TEST(AngleAxisToRotationMatrix, SecondDerivativesAreSymmetric) {
  using Jet3 = Jet<double, 3>;
  using Nested = Jet<Jet3, 3>;
  RandomRotations random;
  for (const double angle : {0.0, 1e-9, 0.1, 1.0, 3.0, pi}) {
    const Vector3d angle_axis = angle * random.Axis();
    Nested a[3];
    for (int i = 0; i < 3; ++i) {
      a[i] = Nested(Jet3(angle_axis[i], i), i);
    }
    Nested R[9];
    AngleAxisToRotationMatrix(a, R);
    for (const Nested& element : R) {
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(element.v[i].a, element.a.v[i], 1e-14);
        for (int j = 0; j < i; ++j) {
          EXPECT_NEAR(element.v[i].v[j], element.v[j].v[i], 1e-13);
        }
      }
    }
  }
}

TEST(AngleAxisToRotationMatrix, TinyAnglesKeepTheirRelativePrecision) {
  for (const double angle : {1e-300, 1e-20, 1e-9}) {
    const Matrix3d R = ToMatrix({angle, 2 * angle, 3 * angle});
    EXPECT_NEAR((R(2, 1) - R(1, 2)) / (2 * angle), 1, 1e-15);
    EXPECT_NEAR((R(0, 2) - R(2, 0)) / (2 * angle), 2, 1e-15);
    EXPECT_NEAR((R(1, 0) - R(0, 1)) / (2 * angle), 3, 1e-15);
  }
}

TEST(RotationMatrixToAngleAxis, HalfTurnsAboutEveryAxis) {
  std::vector<Vector3d> axes = {{1, 0, 0}, {0, 1, 0},     {0, 0, 1},
                                {1, 1, 0}, {0, 1, 1},     {1, 0, -1},
                                {1, 1, 1}, {1, -1, 1e-9}, {1e-9, 1e-5, 1}};
  for (const Vector3d& axis : axes) {
    const Vector3d unit = axis.normalized();
    const Matrix3d R = 2 * unit * unit.transpose() - Matrix3d::Identity();
    const Vector3d angle_axis = ToAngleAxis(R);
    EXPECT_NEAR(angle_axis.norm(), pi, 1e-15);
    ExpectNear(angle_axis.normalized().cwiseProduct(
                   Vector3d::Constant(angle_axis.dot(unit) > 0 ? 1 : -1)),
               unit, 1e-15);
  }
}

TEST(RotationMatrixToAngleAxis, LargeAnglesComeBackByFullTurns) {
  const Vector3d axis = RandomRotations().Axis();
  ExpectNear(ToAngleAxis(ToMatrix((2 * pi + 1) * axis)), axis, 3e-15);
  ExpectNear(ToAngleAxis(ToMatrix((2 * pi - 1) * axis)), -axis, 3e-15);
  ExpectNear(ToAngleAxis(ToMatrix(100 * axis)), (100 - 32 * pi) * axis, 1e-13);
}

TEST(RotationMatrixToAngleAxis, DerivativesOfTheRoundTripAreTheIdentity) {
  using Jet3 = Jet<double, 3>;
  RandomRotations random;
  for (const double angle : DifficultAngles()) {
    if (angle > 3.1) {
      continue;  // The round trip jumps to -angle_axis at pi.
    }
    const auto angle_axis = Variables<Jet3>(angle * random.Axis());
    Jet3 R[9];
    Jet3 back[3];
    AngleAxisToRotationMatrix(angle_axis.data(), R);
    RotationMatrixToAngleAxis(R, back);
    for (int i = 0; i < 3; ++i) {
      ExpectNear(back[i].v, Vector3d::Unit(i), 2e-14);
    }
  }
}

// Value and derivatives by angle-axis and point, against the exponential in
// extended precision.
TEST(AngleAxisRotatePoint, DerivativesMatchTheExponential) {
  using Jet6 = Jet<double, 6>;
  using LongJet6 = Jet<long double, 6>;
  RandomRotations random;
  std::vector<double> angles = DifficultAngles();
  angles.insert(angles.end(), {pi, 2 * pi - 1e-7, 2 * pi, 10.0});
  for (const double angle : angles) {
    const Vector3d angle_axis = angle * random.Axis();
    const Vector3d point = random.Gaussian();
    const auto a = Variables<Jet6>(angle_axis);
    auto p = Variables<Jet6>(point, 3);
    const auto expected = Exponential(Variables<LongJet6>(angle_axis),
                                      Variables<LongJet6>(point, 3));
    Vector3d rotated;
    AngleAxisRotatePoint(angle_axis.data(), point.data(), rotated.data());
    Jet6 result[3];
    AngleAxisRotatePoint(a.data(), p.data(), result);
    AngleAxisRotatePoint(a.data(), p.data(), p.data());
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(result[i].a, rotated[i], 2e-15);
      EXPECT_NEAR(result[i].a, static_cast<double>(expected[i].a), 1e-14);
      ExpectNear(result[i].v, expected[i].v.cast<double>(), 1e-14);
      EXPECT_NEAR(p[i].a, result[i].a, 2e-15);
      ExpectNear(p[i].v, result[i].v, 2e-15);
    }
    Vector3d in_place = point;
    AngleAxisRotatePoint(angle_axis.data(), in_place.data(), in_place.data());
    ExpectNear(in_place, rotated, 1e-15);
  }
}

TEST(AngleAxisRotatePoint, DerivativesFollowTheChainRule) {
  // Inputs whose derivative parts are dense.
  using Jet2 = Jet<double, 2>;
  const auto rotate = [](const auto& t, const auto& u, auto* result) {
    using T = std::decay_t<decltype(t)>;
    const T a[3] = {t * u, t - u, T(0.3) + t};
    const T p[3] = {u * u, T(1.0) + t * t, t + u};
    AngleAxisRotatePoint(a, p, result);
  };
  Jet2 result[3];
  rotate(Jet2(0.7, 0), Jet2(-0.4, 1), result);
  constexpr double h = 1e-6;
  double plus[3];
  double minus[3];
  for (int k = 0; k < 2; ++k) {
    const double dt = k == 0 ? h : 0;
    const double du = k == 1 ? h : 0;
    rotate(0.7 + dt, -0.4 + du, plus);
    rotate(0.7 - dt, -0.4 - du, minus);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(result[i].v[k], (plus[i] - minus[i]) / (2 * h), 1e-9);
    }
  }
}

TEST(AngleAxisRotatePoint, SecondDerivativesAtZeroAreExact) {
  // R(a) p = p + a x p + 1/2 a x (a x p) + O(a^3).
  using Jet3 = Jet<double, 3>;
  using Nested = Jet<Jet3, 3>;
  const Vector3d point(1, -2, 3);
  Nested a[3];
  Nested p[3];
  for (int i = 0; i < 3; ++i) {
    a[i] = Nested(Jet3(0.0, i), i);
    p[i] = Nested(Jet3(point[i]));
  }
  Nested result[3];
  AngleAxisRotatePoint(a, p, result);
  for (int j = 0; j < 3; ++j) {
    for (int k = 0; k < 3; ++k) {
      const Vector3d ej = Vector3d::Unit(j);
      const Vector3d ek = Vector3d::Unit(k);
      const Vector3d expected =
          0.5 * (ej.cross(ek.cross(point)) + ek.cross(ej.cross(point)));
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(result[i].v[j].v[k], expected[i], 1e-15);
      }
    }
  }
}

TEST(AngleAxisRotatePoint, NaNAnglesGiveNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double angle_axis[3] = {nan, 0, 0};
  const double point[3] = {1, 2, 3};
  double result[3];
  AngleAxisRotatePoint(angle_axis, point, result);
  EXPECT_TRUE(std::isnan(result[1]));
}

TEST(EulerAnglesToRotationMatrix, WritesAnyLayoutAndIgnoresTheStride) {
  const double euler[3] = {30, -50, 110};
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> R3, R4;
  EulerAnglesToRotationMatrix(euler, 3, R3.data());
  EulerAnglesToRotationMatrix(euler, 4, R4.data());
  EXPECT_EQ(R3, R4);
  Matrix3d column_major;
  EulerAnglesToRotationMatrix(euler,
                              ColumnMajorAdapter3x3(column_major.data()));
  ExpectNear(column_major, R3, 2e-16);
}

#ifndef NDEBUG
TEST(ProductsDeathTest, OverlappingOutputsAreCaughtInDebugBuilds) {
  double x[3] = {1, 0, 0};
  double y[3] = {1, 0, 0};
  EXPECT_DEATH(CrossProduct(x, y, x), "in place");
  EXPECT_DEATH(CrossProduct(x, y, y), "in place");
}
#endif

}  // namespace
}  // namespace ceres::internal
