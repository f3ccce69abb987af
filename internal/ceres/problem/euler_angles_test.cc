// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/euler_angles.h"

#include <cmath>
#include <random>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/constants.h"
#include "ceres/jet.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using constants::pi;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// A system and, independently of its encoding, the axes (0, 1, 2 for x, y, z)
// in the order in which its rotations are applied.
template <typename EulerSystem, int kFirst, int kSecond, int kThird>
struct NamedSystem {
  using System = EulerSystem;
  static constexpr int kSequence[3] = {kFirst, kSecond, kThird};
  static constexpr bool kIsProper = kFirst == kThird;

  // The product of the three rotations about coordinate axes.
  static Matrix3 Product(const double* euler) {
    const auto rotation = [euler](int i) {
      return Matrix3(Eigen::AngleAxisd(
          euler[i], Eigen::Vector3d::Unit(kSequence[i]).eval()));
    };
    return System::kIsIntrinsic ? rotation(0) * rotation(1) * rotation(2)
                                : rotation(2) * rotation(1) * rotation(0);
  }
};

template <typename Named>
class EulerAnglesTest : public ::testing::Test {
 protected:
  using System = typename Named::System;

  static Matrix3 ToRotation(const Eigen::Vector3d& euler) {
    Matrix3 R;
    EulerAnglesToRotation<System>(euler.data(), R.data());
    return R;
  }

  static Eigen::Vector3d ToEuler(const Matrix3& R) {
    Eigen::Vector3d euler;
    RotationMatrixToEulerAngles<System>(R.data(), euler.data());
    return euler;
  }

  // In the ranges that RotationMatrixToEulerAngles answers with.
  Eigen::Vector3d RandomAngles() {
    std::uniform_real_distribution<double> outer(-pi, pi);
    std::uniform_real_distribution<double> middle(
        Named::kIsProper ? 0 : -pi / 2, Named::kIsProper ? pi : pi / 2);
    return {outer(random_), middle(random_), outer(random_)};
  }

  // Middle angles where the outer ones turn about the same line.
  static Eigen::Vector2d GimbalLocks() {
    return Named::kIsProper ? Eigen::Vector2d(0, pi)
                            : Eigen::Vector2d(-pi / 2, pi / 2);
  }

  std::mt19937 random_{7};
};

using Systems = ::testing::Types<
    NamedSystem<ExtrinsicXYZ, 0, 1, 2>, NamedSystem<ExtrinsicXYX, 0, 1, 0>,
    NamedSystem<ExtrinsicXZY, 0, 2, 1>, NamedSystem<ExtrinsicXZX, 0, 2, 0>,
    NamedSystem<ExtrinsicYZX, 1, 2, 0>, NamedSystem<ExtrinsicYZY, 1, 2, 1>,
    NamedSystem<ExtrinsicYXZ, 1, 0, 2>, NamedSystem<ExtrinsicYXY, 1, 0, 1>,
    NamedSystem<ExtrinsicZXY, 2, 0, 1>, NamedSystem<ExtrinsicZXZ, 2, 0, 2>,
    NamedSystem<ExtrinsicZYX, 2, 1, 0>, NamedSystem<ExtrinsicZYZ, 2, 1, 2>,
    NamedSystem<IntrinsicXYZ, 0, 1, 2>, NamedSystem<IntrinsicXYX, 0, 1, 0>,
    NamedSystem<IntrinsicXZY, 0, 2, 1>, NamedSystem<IntrinsicXZX, 0, 2, 0>,
    NamedSystem<IntrinsicYZX, 1, 2, 0>, NamedSystem<IntrinsicYZY, 1, 2, 1>,
    NamedSystem<IntrinsicYXZ, 1, 0, 2>, NamedSystem<IntrinsicYXY, 1, 0, 1>,
    NamedSystem<IntrinsicZXY, 2, 0, 1>, NamedSystem<IntrinsicZXZ, 2, 0, 2>,
    NamedSystem<IntrinsicZYX, 2, 1, 0>, NamedSystem<IntrinsicZYZ, 2, 1, 2>>;
TYPED_TEST_SUITE(EulerAnglesTest, Systems);

TYPED_TEST(EulerAnglesTest, RotationIsTheProductOfThreeRotations) {
  std::uniform_real_distribution<double> angle(-10, 10);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Vector3d euler(angle(this->random_), angle(this->random_),
                                angle(this->random_));
    EXPECT_LE((this->ToRotation(euler) - TypeParam::Product(euler.data()))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-15);
  }
}

TYPED_TEST(EulerAnglesTest, AnglesReturnFromTheMatrix) {
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Vector3d euler = this->RandomAngles();
    const Eigen::Vector3d back = this->ToEuler(this->ToRotation(euler));
    const double distance_to_lock =
        (this->GimbalLocks().array() - euler[1]).abs().minCoeff();
    EXPECT_LE((back - euler).norm(), 1e-15 / distance_to_lock + 2e-15)
        << euler.transpose() << " became " << back.transpose();
  }
}

TYPED_TEST(EulerAnglesTest, AnglesAreInTheirRanges) {
  std::uniform_real_distribution<double> angle(-10, 10);
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Vector3d any(angle(this->random_), angle(this->random_),
                              angle(this->random_));
    const Matrix3 R = this->ToRotation(any);
    const Eigen::Vector3d euler = this->ToEuler(R);
    EXPECT_LE(std::abs(euler[0]), pi);
    EXPECT_LE(std::abs(euler[2]), pi);
    EXPECT_GE(euler[1], this->GimbalLocks()[0]);
    EXPECT_LE(euler[1], this->GimbalLocks()[1]);
    EXPECT_LE((this->ToRotation(euler) - R).cwiseAbs().maxCoeff(), 2e-15);
  }
}

TYPED_TEST(EulerAnglesTest, GimbalLockPutsAllIntoOneOuterAngle) {
  for (const double middle : this->GimbalLocks()) {
    Eigen::Vector3d euler = this->RandomAngles();
    euler[1] = middle;
    const Matrix3 R = this->ToRotation(euler);
    const Eigen::Vector3d back = this->ToEuler(R);
    EXPECT_NEAR(back[1], middle, 1e-15);
    EXPECT_EQ(back[TypeParam::System::kIsIntrinsic ? 0 : 2], 0);
    EXPECT_LE((this->ToRotation(back) - R).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TYPED_TEST(EulerAnglesTest, CloseToGimbalLockTheMatrixReturns) {
  for (const double middle : this->GimbalLocks()) {
    const double inwards = middle == this->GimbalLocks()[0] ? 1 : -1;
    for (int step = 0; step < 34; ++step) {
      const double distance = 0.1 * std::pow(0.3, step);
      Eigen::Vector3d euler = this->RandomAngles();
      euler[1] = middle + inwards * distance;
      const Matrix3 R = this->ToRotation(euler);
      const Matrix3 back = this->ToRotation(this->ToEuler(R));
      EXPECT_LE((back - R).cwiseAbs().maxCoeff(), 5e-15) << distance;
    }
  }
}

TYPED_TEST(EulerAnglesTest, DerivativesOfTheRoundTripAreTheIdentity) {
  using Jet3 = Jet<double, 3>;
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::Vector3d angles = this->RandomAngles();
    angles[1] = 0.5 * (angles[1] + this->GimbalLocks().mean());
    const Jet3 euler[3] = {Jet3(angles[0], 0), Jet3(angles[1], 1),
                           Jet3(angles[2], 2)};
    Jet3 R[9];
    Jet3 back[3];
    EulerAnglesToRotation<typename TypeParam::System>(euler, R);
    RotationMatrixToEulerAngles<typename TypeParam::System>(R, back);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(back[i].a, angles[i], 1e-13);
      EXPECT_LE((back[i].v - Eigen::Vector3d::Unit(i)).norm(), 1e-13);
    }
  }
}

TYPED_TEST(EulerAnglesTest, AdaptersOfAnyLayoutAgree) {
  using System = typename TypeParam::System;
  const Eigen::Vector3d euler = this->RandomAngles();
  const Matrix3 row_major = this->ToRotation(euler);
  Eigen::Matrix3d column_major;
  EulerAnglesToRotation<System>(euler.data(),
                                ColumnMajorAdapter3x3(column_major.data()));
  EXPECT_EQ(Matrix3(column_major), row_major);
  const double* data = column_major.data();
  Eigen::Vector3d back;
  RotationMatrixToEulerAngles<System>(ColumnMajorAdapter3x3(data), back.data());
  EXPECT_EQ(back, this->ToEuler(row_major));
}

TEST(EulerAngles, IntrinsicSystemsAreExtrinsicOnesReversed) {
  const double extrinsic[3] = {0.3, -0.4, 0.5};
  const double intrinsic[3] = {0.5, -0.4, 0.3};
  Matrix3 R1;
  Matrix3 R2;
  EulerAnglesToRotation<ExtrinsicXYZ>(extrinsic, R1.data());
  EulerAnglesToRotation<IntrinsicZYX>(intrinsic, R2.data());
  EXPECT_EQ(R1, R2);
}

}  // namespace
}  // namespace ceres
