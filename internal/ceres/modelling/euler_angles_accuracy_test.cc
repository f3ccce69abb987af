// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The functions of Euler angles are within 4 eps of products of rotations about
// the coordinate axes.

#include <cmath>
#include <type_traits>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/modelling/rotation_accuracy_test_utils.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::Vector3d;

Matrix3L MatrixAbout(int axis, Real angle) {
  Matrix3L R = Matrix3L::Identity();
  const int j = (axis + 1) % 3;
  const int k = (axis + 2) % 3;
  R(j, j) = R(k, k) = std::cos(angle);
  R(k, j) = std::sin(angle);
  R(j, k) = -R(k, j);
  return R;
}

// The product of rotations about fixed axes, the first one rightmost.
Matrix3L MatrixOfEulerAngles(const int axes[3], const Vector3L& angles) {
  return MatrixAbout(axes[2], angles[2]) * MatrixAbout(axes[1], angles[1]) *
         MatrixAbout(axes[0], angles[0]);
}

template <typename EulerSystem>
class EulerAccuracyTest : public RotationAccuracyTest {
 protected:
  static constexpr bool kIsProper = std::is_same_v<EulerSystem, ExtrinsicZXZ>;
  static constexpr int kZYX[3] = {2, 1, 0};
  static constexpr int kZXZ[3] = {2, 0, 2};

  static Matrix3L Reference(const Vector3L& angles) {
    return MatrixOfEulerAngles(kIsProper ? kZXZ : kZYX, angles);
  }

  // In the ranges of RotationMatrixToEulerAngles. Every other middle angle is
  // close to gimbal lock.
  Vector3d Angles(int sample) {
    const double pi = constants::pi;
    const double distance =
        sample % 2 == 0 ? pi / 2 * Uniform() : std::pow(10, -7 * Uniform());
    const double sign = sample % 4 < 2 ? 1 : -1;
    const double middle = kIsProper ? (sign > 0 ? distance : pi - distance)
                                    : sign * (pi / 2 - distance);
    return {pi * (2 * Uniform() - 1), middle, pi * (2 * Uniform() - 1)};
  }
};

using EulerSystems = ::testing::Types<ExtrinsicZYX, ExtrinsicZXZ>;
TYPED_TEST_SUITE(EulerAccuracyTest, EulerSystems);

TYPED_TEST(EulerAccuracyTest, EulerAnglesToRotation) {
  LargestError error;
  for (int sample = 0; sample < kNumSamples; ++sample) {
    const Vector3d angles = this->Angles(sample);
    RowMajor3d actual;
    EulerAnglesToRotation<TypeParam>(angles.data(), actual.data());
    error.Add(angles.transpose(), actual,
              this->Reference(angles.template cast<Real>()));
  }
}

// Close to gimbal lock the matrix determines the sum or difference of the outer
// angles only: the angles are exact for a matrix that is this close.
TYPED_TEST(EulerAccuracyTest, RotationMatrixToEulerAngles) {
  LargestError error;
  for (int sample = 0; sample < kNumSamples; ++sample) {
    const RowMajor3d R =
        this->Reference(this->Angles(sample).template cast<Real>())
            .template cast<double>();
    Vector3d angles;
    RotationMatrixToEulerAngles<TypeParam>(R.data(), angles.data());
    error.Add(angles.transpose(), R,
              this->Reference(angles.template cast<Real>()));
  }
}

// Where the outer angles are well determined, all angles are.
TYPED_TEST(EulerAccuracyTest, RotationMatrixToEulerAnglesFarFromGimbalLock) {
  LargestError error;
  for (int sample = 0; sample < kNumSamples; ++sample) {
    Vector3d expected = this->Angles(2 * sample);
    const double sine =
        this->kIsProper ? std::sin(expected[1]) : std::cos(expected[1]);
    if (sine < 0.5) continue;
    const RowMajor3d R =
        this->Reference(expected.template cast<Real>()).template cast<double>();
    Vector3d angles;
    RotationMatrixToEulerAngles<TypeParam>(R.data(), angles.data());
    error.Add(expected.transpose(), angles, expected.template cast<Real>());
  }
}

TEST_F(RotationAccuracyTest, EulerAnglesToRotationMatrix) {
  constexpr int kXYZ[3] = {0, 1, 2};
  LargestError error;
  for (int sample = 0; sample < kNumSamples; ++sample) {
    Vector3d degrees;
    for (double& angle : degrees) {
      angle = sample % 2 == 0 ? 360 * Uniform() - 180
                              : 15 * std::round(24 * Uniform() - 12);
    }
    RowMajor3d actual;
    EulerAnglesToRotationMatrix(degrees.data(), 3, actual.data());
    error.Add(degrees.transpose(), actual,
              MatrixOfEulerAngles(kXYZ, degrees.cast<Real>() * (kPi / 180)));
  }
}

}  // namespace
}  // namespace ceres::internal
