// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/euler_angles.h"

#include <cmath>
#include <random>
#include <string>

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

using Jet3 = Jet<double, 3>;

// A system's functions and, independently of its encoding, the axes (0, 1, 2
// for x, y, z) in the order in which its rotations are applied.
struct System {
  void (*to_rotation)(const double* euler, double* row_major);
  void (*to_euler)(const double* row_major, double* euler);
  void (*to_rotation_of_jets)(const Jet3* euler, Jet3* row_major);
  void (*to_euler_of_jets)(const Jet3* row_major, Jet3* euler);
  void (*to_column_major)(const double* euler, double* column_major);
  void (*from_column_major)(const double* column_major, double* euler);
  bool is_intrinsic;
  int sequence[3];

  bool is_proper() const { return sequence[0] == sequence[2]; }

  // The product of the three rotations about coordinate axes.
  Matrix3 Product(const Eigen::Vector3d& euler) const {
    Matrix3 product = Matrix3::Identity();
    for (int i = 0; i < 3; ++i) {
      const Matrix3 rotation(Eigen::AngleAxisd(
          euler[i], Eigen::Vector3d::Unit(sequence[i]).eval()));
      const Matrix3 before = product;
      product = is_intrinsic ? before * rotation : rotation * before;
    }
    return product;
  }
};

template <typename EulerSystem>
System MakeSystem(int first, int second, int third) {
  return {EulerAnglesToRotation<EulerSystem, double>,
          RotationMatrixToEulerAngles<EulerSystem, double>,
          EulerAnglesToRotation<EulerSystem, Jet3>,
          RotationMatrixToEulerAngles<EulerSystem, Jet3>,
          [](const double* euler, double* column_major) {
            EulerAnglesToRotation<EulerSystem>(
                euler, ColumnMajorAdapter3x3(column_major));
          },
          [](const double* column_major, double* euler) {
            RotationMatrixToEulerAngles<EulerSystem>(
                ColumnMajorAdapter3x3(column_major), euler);
          },
          EulerSystem::kIsIntrinsic,
          {first, second, third}};
}

class EulerAnglesTest : public ::testing::TestWithParam<System> {
 protected:
  static Matrix3 ToRotation(const Eigen::Vector3d& euler) {
    Matrix3 R;
    GetParam().to_rotation(euler.data(), R.data());
    return R;
  }

  static Eigen::Vector3d ToEuler(const Matrix3& R) {
    Eigen::Vector3d euler;
    GetParam().to_euler(R.data(), euler.data());
    return euler;
  }

  // In the ranges that RotationMatrixToEulerAngles answers with.
  Eigen::Vector3d RandomAngles() {
    const bool proper = GetParam().is_proper();
    std::uniform_real_distribution<double> outer(-pi, pi);
    std::uniform_real_distribution<double> middle(proper ? 0 : -pi / 2,
                                                  proper ? pi : pi / 2);
    return {outer(random_), middle(random_), outer(random_)};
  }

  // Middle angles where the outer ones turn about the same line.
  static Eigen::Vector2d GimbalLocks() {
    return GetParam().is_proper() ? Eigen::Vector2d(0, pi)
                                  : Eigen::Vector2d(-pi / 2, pi / 2);
  }

  std::mt19937 random_{7};
};

INSTANTIATE_TEST_SUITE_P(
    EverySystem, EulerAnglesTest,
    ::testing::Values(
        MakeSystem<ExtrinsicXYZ>(0, 1, 2), MakeSystem<ExtrinsicXYX>(0, 1, 0),
        MakeSystem<ExtrinsicXZY>(0, 2, 1), MakeSystem<ExtrinsicXZX>(0, 2, 0),
        MakeSystem<ExtrinsicYZX>(1, 2, 0), MakeSystem<ExtrinsicYZY>(1, 2, 1),
        MakeSystem<ExtrinsicYXZ>(1, 0, 2), MakeSystem<ExtrinsicYXY>(1, 0, 1),
        MakeSystem<ExtrinsicZXY>(2, 0, 1), MakeSystem<ExtrinsicZXZ>(2, 0, 2),
        MakeSystem<ExtrinsicZYX>(2, 1, 0), MakeSystem<ExtrinsicZYZ>(2, 1, 2),
        MakeSystem<IntrinsicXYZ>(0, 1, 2), MakeSystem<IntrinsicXYX>(0, 1, 0),
        MakeSystem<IntrinsicXZY>(0, 2, 1), MakeSystem<IntrinsicXZX>(0, 2, 0),
        MakeSystem<IntrinsicYZX>(1, 2, 0), MakeSystem<IntrinsicYZY>(1, 2, 1),
        MakeSystem<IntrinsicYXZ>(1, 0, 2), MakeSystem<IntrinsicYXY>(1, 0, 1),
        MakeSystem<IntrinsicZXY>(2, 0, 1), MakeSystem<IntrinsicZXZ>(2, 0, 2),
        MakeSystem<IntrinsicZYX>(2, 1, 0), MakeSystem<IntrinsicZYZ>(2, 1, 2)),
    [](const auto& info) {
      std::string name = info.param.is_intrinsic ? "Intrinsic" : "Extrinsic";
      for (const int axis : info.param.sequence) name += "XYZ"[axis];
      return name;
    });

TEST_P(EulerAnglesTest, RotationIsTheProductOfThreeRotations) {
  std::uniform_real_distribution<double> angle(-10, 10);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Vector3d euler(angle(random_), angle(random_), angle(random_));
    EXPECT_LE(
        (ToRotation(euler) - GetParam().Product(euler)).cwiseAbs().maxCoeff(),
        1e-15);
  }
}

TEST_P(EulerAnglesTest, AnglesReturnFromTheMatrix) {
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Vector3d euler = RandomAngles();
    const Eigen::Vector3d back = ToEuler(ToRotation(euler));
    const double distance_to_lock =
        (GimbalLocks().array() - euler[1]).abs().minCoeff();
    EXPECT_LE((back - euler).norm(), 1e-15 / distance_to_lock + 2e-15)
        << euler.transpose() << " became " << back.transpose();
  }
}

TEST_P(EulerAnglesTest, AnglesAreInTheirRanges) {
  std::uniform_real_distribution<double> angle(-10, 10);
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::Vector3d any(angle(random_), angle(random_), angle(random_));
    const Matrix3 R = ToRotation(any);
    const Eigen::Vector3d euler = ToEuler(R);
    EXPECT_LE(std::abs(euler[0]), pi);
    EXPECT_LE(std::abs(euler[2]), pi);
    EXPECT_GE(euler[1], GimbalLocks()[0]);
    EXPECT_LE(euler[1], GimbalLocks()[1]);
    EXPECT_LE((ToRotation(euler) - R).cwiseAbs().maxCoeff(), 2e-15);
  }
}

TEST_P(EulerAnglesTest, GimbalLockPutsAllIntoOneOuterAngle) {
  for (const double middle : GimbalLocks()) {
    Eigen::Vector3d euler = RandomAngles();
    euler[1] = middle;
    const Matrix3 R = ToRotation(euler);
    const Eigen::Vector3d back = ToEuler(R);
    EXPECT_NEAR(back[1], middle, 1e-15);
    EXPECT_EQ(back[GetParam().is_intrinsic ? 0 : 2], 0);
    EXPECT_LE((ToRotation(back) - R).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST_P(EulerAnglesTest, CloseToGimbalLockTheMatrixReturns) {
  for (const double middle : GimbalLocks()) {
    const double inwards = middle == GimbalLocks()[0] ? 1 : -1;
    for (int step = 0; step < 34; ++step) {
      const double distance = 0.1 * std::pow(0.3, step);
      Eigen::Vector3d euler = RandomAngles();
      euler[1] = middle + inwards * distance;
      const Matrix3 R = ToRotation(euler);
      const Matrix3 back = ToRotation(ToEuler(R));
      EXPECT_LE((back - R).cwiseAbs().maxCoeff(), 5e-15) << distance;
    }
  }
}

TEST_P(EulerAnglesTest, DerivativesOfTheRoundTripAreTheIdentity) {
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::Vector3d angles = RandomAngles();
    angles[1] = 0.5 * (angles[1] + GimbalLocks().mean());
    const Jet3 euler[3] = {Jet3(angles[0], 0), Jet3(angles[1], 1),
                           Jet3(angles[2], 2)};
    Jet3 R[9];
    Jet3 back[3];
    GetParam().to_rotation_of_jets(euler, R);
    GetParam().to_euler_of_jets(R, back);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(back[i].a, angles[i], 1e-13);
      EXPECT_LE((back[i].v - Eigen::Vector3d::Unit(i)).norm(), 1e-13);
    }
  }
}

TEST_P(EulerAnglesTest, AdaptersOfAnyLayoutAgree) {
  const Eigen::Vector3d euler = RandomAngles();
  const Matrix3 row_major = ToRotation(euler);
  Eigen::Matrix3d column_major;
  GetParam().to_column_major(euler.data(), column_major.data());
  EXPECT_EQ(Matrix3(column_major), row_major);
  Eigen::Vector3d back;
  GetParam().from_column_major(column_major.data(), back.data());
  EXPECT_EQ(back, ToEuler(row_major));
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
