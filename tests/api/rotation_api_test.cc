// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <array>

#include "ceres/cubic_interpolation.h"
#include "ceres/rotation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

constexpr double kTolerance = 1e-14;

// A quarter turn about z: x becomes y.
const double kAngleAxis[] = {0.0, 0.0, constants::pi / 2.0};
const double kQuaternion[] = {0.70710678118654752, 0.0, 0.0,
                              0.70710678118654752};
const double kRowMajor[] = {0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
const double kColumnMajor[] = {0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
const double kX[] = {1.0, 0.0, 0.0};
const double kY[] = {0.0, 1.0, 0.0};

TEST(RotationH, Adapts) {
  double matrix[9] = {};
  const MatrixAdapter<double, 3, 1> rows = RowMajorAdapter3x3(matrix);
  rows(1, 2) = 5.0;
  EXPECT_EQ(rows.pointer_[5], 5.0);
  EXPECT_EQ(ColumnMajorAdapter3x3(matrix)(2, 1), 5.0);
}

TEST(RotationH, ConvertsAngleAxisQuaternionAndMatrix) {
  double quaternion[4];
  double angle_axis[3];
  double matrix[9];
  AngleAxisToQuaternion(kAngleAxis, quaternion);
  EXPECT_THAT(quaternion, Pointwise(DoubleNear(kTolerance), kQuaternion));
  QuaternionToAngleAxis(kQuaternion, angle_axis);
  EXPECT_THAT(angle_axis, Pointwise(DoubleNear(kTolerance), kAngleAxis));
  AngleAxisToRotationMatrix(kAngleAxis, matrix);
  EXPECT_THAT(matrix, Pointwise(DoubleNear(kTolerance), kColumnMajor));
  RotationMatrixToAngleAxis(kColumnMajor, angle_axis);
  EXPECT_THAT(angle_axis, Pointwise(DoubleNear(kTolerance), kAngleAxis));
  RotationMatrixToQuaternion(RowMajorAdapter3x3(kRowMajor), quaternion);
  EXPECT_THAT(quaternion, Pointwise(DoubleNear(kTolerance), kQuaternion));
  QuaternionToRotation(kQuaternion, matrix);
  EXPECT_THAT(matrix, Pointwise(DoubleNear(kTolerance), kRowMajor));
  QuaternionToScaledRotation(kQuaternion, ColumnMajorAdapter3x3(matrix));
  EXPECT_THAT(matrix, Pointwise(DoubleNear(kTolerance), kColumnMajor));
}

TEST(RotationH, ConvertsEulerAngles) {
  double matrix[9];
  double angles[3];
  const double degrees[] = {0.0, 0.0, 90.0};
  EulerAnglesToRotationMatrix(degrees, 3, matrix);
  EXPECT_THAT(matrix, Pointwise(DoubleNear(kTolerance), kRowMajor));
  EulerAnglesToRotation<ExtrinsicXYZ>(kAngleAxis, matrix);
  EXPECT_THAT(matrix, Pointwise(DoubleNear(kTolerance), kRowMajor));
  RotationMatrixToEulerAngles<ExtrinsicXYZ>(kRowMajor, angles);
  EXPECT_THAT(angles, Pointwise(DoubleNear(kTolerance), kAngleAxis));
}

TEST(RotationH, RotatesAndMultiplies) {
  double result[3];
  UnitQuaternionRotatePoint(kQuaternion, kX, result);
  EXPECT_THAT(result, Pointwise(DoubleNear(kTolerance), kY));
  QuaternionRotatePoint(kQuaternion, kX, result);
  EXPECT_THAT(result, Pointwise(DoubleNear(kTolerance), kY));
  AngleAxisRotatePoint(kAngleAxis, kX, result);
  EXPECT_THAT(result, Pointwise(DoubleNear(kTolerance), kY));
  CrossProduct(kX, kY, result);
  EXPECT_THAT(result, ElementsAre(0.0, 0.0, 1.0));
  EXPECT_EQ(DotProduct(kX, kX), 1.0);

  double conjugate[4];
  double product[4];
  QuaternionConjugate(kQuaternion, conjugate);
  QuaternionProduct(kQuaternion, conjugate, product);
  EXPECT_NEAR(product[0], 1.0, kTolerance);
  EXPECT_NEAR(product[3], 0.0, kTolerance);
}

TEST(RotationH, KnowsTwoOrdersOfQuaternions) {
  const std::array<double, 4> ceres_order =
      MakeQuaternion<CeresQuaternionOrder>(1.0, 2.0, 3.0, 4.0);
  EXPECT_THAT(ceres_order, ElementsAre(1.0, 2.0, 3.0, 4.0));
  const std::array<double, 4> eigen_order =
      ConvertQuaternion<EigenQuaternionOrder, CeresQuaternionOrder>(
          ceres_order);
  EXPECT_THAT(eigen_order, ElementsAre(2.0, 3.0, 4.0, 1.0));
  EXPECT_EQ((ConvertQuaternion<CeresQuaternionOrder, EigenQuaternionOrder>(
                eigen_order)),
            ceres_order);
  EXPECT_EQ((ConvertQuaternion<EigenQuaternionOrder, EigenQuaternionOrder>(
                eigen_order)),
            eigen_order);
  static_assert(MakeQuaternion<EigenQuaternionOrder>(1, 2, 3, 4)[3] == 1);
  using Order = EigenQuaternionOrder;
  static_assert(Order::kX == 0 && Order::kY == 1);
  static_assert(Order::kZ == 2 && Order::kW == 3);
  double quaternion[4];
  AngleAxisToQuaternion<EigenQuaternionOrder>(kAngleAxis, quaternion);
  EXPECT_NEAR(quaternion[Order::kW], kQuaternion[0], kTolerance);
}

TEST(CubicInterpolationH, Interpolates) {
  using Value = Eigen::Matrix<double, 1, 1>;
  double f = 0.0;
  double slope = 0.0;
  CubicHermiteSpline<1>(Value(0.0), Value(1.0), Value(2.0), Value(3.0), 0.5, &f,
                        &slope);
  EXPECT_DOUBLE_EQ(f, 1.5);
  EXPECT_DOUBLE_EQ(slope, 1.0);

  const float line[] = {0.0F, 1.0F, 2.0F, 3.0F};
  const Grid1D<float, 1> samples(line, 0, 4);
  static_assert(Grid1D<float, 2>::DATA_DIMENSION == 2);
  samples.GetValue(7, &f);
  EXPECT_EQ(f, 3.0);
  const CubicInterpolator<Grid1D<float, 1>> cubic(samples);
  cubic.Evaluate(1.5, &f, &slope);
  EXPECT_DOUBLE_EQ(f, 1.5);
  EXPECT_DOUBLE_EQ(slope, 1.0);
}

TEST(CubicInterpolationH, InterpolatesInTwoDimensions) {
  // f(r, c) = 4 r + c
  std::array<double, 16> plane;
  for (int i = 0; i < 16; ++i) plane[i] = i;
  const Grid2D<double, 1> samples(plane.data(), 0, 4, 0, 4);
  double f = 0.0;
  double by_row = 0.0;
  double by_column = 0.0;
  samples.GetValue(2, 3, &f);
  EXPECT_EQ(f, 11.0);
  const BiCubicInterpolator<Grid2D<double, 1>> bicubic(samples);
  bicubic.Evaluate(1.5, 1.25, &f, &by_row, &by_column);
  EXPECT_DOUBLE_EQ(f, 7.25);
  EXPECT_DOUBLE_EQ(by_row, 4.0);
  EXPECT_DOUBLE_EQ(by_column, 1.0);
}

}  // namespace
}  // namespace ceres
