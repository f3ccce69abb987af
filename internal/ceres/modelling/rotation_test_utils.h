// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Helpers of the tests of rotation.h.

#ifndef CERES_INTERNAL_MODELLING_ROTATION_TEST_UTILS_H_
#define CERES_INTERNAL_MODELLING_ROTATION_TEST_UTILS_H_

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/jet.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres::internal {

class RandomRotations {
 public:
  Eigen::Vector3d Gaussian() {
    return {normal_(engine_), normal_(engine_), normal_(engine_)};
  }
  Eigen::Vector3d Axis() { return Gaussian().normalized(); }
  Eigen::Vector4d UnitQuaternion() {
    return Eigen::Vector4d::NullaryExpr([this]() { return normal_(engine_); })
        .normalized();
  }

 private:
  std::mt19937 engine_{1};
  std::normal_distribution<double> normal_;
};

inline Eigen::Matrix3d ToMatrix(const Eigen::Vector3d& angle_axis) {
  Eigen::Matrix3d R;
  AngleAxisToRotationMatrix(angle_axis.data(), R.data());
  return R;
}

inline Eigen::Vector3d ToAngleAxis(const Eigen::Matrix3d& R) {
  Eigen::Vector3d angle_axis;
  RotationMatrixToAngleAxis(R.data(), angle_axis.data());
  return angle_axis;
}

inline Eigen::Vector4d ToQuaternion(const Eigen::Vector3d& angle_axis) {
  Eigen::Vector4d q;
  AngleAxisToQuaternion(angle_axis.data(), q.data());
  return q;
}

inline Eigen::Vector3d ToAngleAxis(const Eigen::Vector4d& q) {
  Eigen::Vector3d angle_axis;
  QuaternionToAngleAxis(q.data(), angle_axis.data());
  return angle_axis;
}

// x as the variables first, first + 1 and first + 2 of differentiation.
template <typename J>
std::array<J, 3> Variables(const Eigen::Vector3d& x, int first = 0) {
  using T = typename J::Scalar;
  return {J(T(x[0]), first), J(T(x[1]), first + 1), J(T(x[2]), first + 2)};
}

template <typename A, typename B>
void ExpectNear(const Eigen::MatrixBase<A>& actual,
                const Eigen::MatrixBase<B>& expected, double tolerance) {
  EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), tolerance)
      << "actual\n"
      << actual << "\nexpected\n"
      << expected;
}

// Angles on both sides of every place where a formula changes or degenerates.
inline std::vector<double> DifficultAngles() {
  std::vector<double> angles = {0,    1e-300, 1e-200, 1e-160, 1e-20, 1e-12,
                                1e-9, 1e-8,   1.4e-8, 1.5e-8, 1e-7,  1e-6,
                                1e-4, 1e-2,   0.5,    1.0,    2.0,   3.0};
  for (int digits = 1; digits <= 17; ++digits) {
    angles.push_back(constants::pi - std::pow(10, -digits));
  }
  return angles;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MODELLING_ROTATION_TEST_UTILS_H_
