// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/motion_readings.h"

#include <string>
#include <vector>

#include "Eigen/Geometry"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::Vector3d;

const MotionReading& Find(int size, const std::string& name) {
  for (const MotionReading& reading : ReadingsOfSize(size)) {
    if (name == reading.name) return reading;
  }
  ADD_FAILURE() << name;
  return ReadingsOfSize(size).back();
}

// The image of a point in the frame of a camera with an angle-axis vector and a
// translation.
Vector3d InCamera(const double* camera, const Vector3d& point) {
  Vector3d result;
  AngleAxisRotatePoint(camera, point.data(), result.data());
  return result + Eigen::Map<const Vector3d>(camera + 3);
}

// A similarity of space that moves cameras and points moves the point in the
// frame of the camera by the scale only.
TEST(MotionReadings, CameraFollowsItsPoints) {
  const double camera[9] = {0.3, -1.2, 0.7, 2.0, -3.0, 5.0, 700.0, 0.1, 0.2};
  const Vector3d point(1.5, -0.5, 4.0);
  SimilarityMotion motion;
  motion.translation = {0.3, -0.7, 0.2};
  motion.rotation = {-0.4, 0.5, 0.9};
  motion.scale = 0.35;
  double moved_camera[9];
  Find(9, "a camera (angle-axis, translation)")
      .move(camera, 9, motion, moved_camera);
  double moved_point[3];
  Find(3, "a point in space").move(point.data(), 3, motion, moved_point);
  constexpr double kStep = 1e-6;
  double before[9];
  double after[9];
  for (int k = 0; k < 9; ++k) {
    before[k] = camera[k] - kStep * moved_camera[k];
    after[k] = camera[k] + kStep * moved_camera[k];
  }
  const Vector3d change(moved_point[0], moved_point[1], moved_point[2]);
  const Vector3d derivative = (InCamera(after, point + kStep * change) -
                               InCamera(before, point - kStep * change)) /
                              (2.0 * kStep);
  EXPECT_LT((derivative - motion.scale * InCamera(camera, point)).norm(), 1e-8);
}

// Relative poses do not change, except for the scale of the translation.
TEST(MotionReadings, PosesKeepTheirRelativePoses) {
  const char* const name = "a pose (position, quaternion w x y z)";
  double a[7] = {1, 2, 3, 0.5, 0.5, -0.5, 0.5};
  double b[7] = {-1, 0.5, 2, 0.6, 0.0, 0.8, 0.0};
  SimilarityMotion motion;
  motion.translation = {0.3, -0.7, 0.2};
  motion.rotation = {-0.4, 0.5, 0.9};
  double da[7];
  double db[7];
  Find(7, name).move(a, 7, motion, da);
  Find(7, name).move(b, 7, motion, db);
  const auto relative = [&](double step) {
    double x[7];
    double y[7];
    for (int k = 0; k < 7; ++k) {
      x[k] = a[k] + step * da[k];
      y[k] = b[k] + step * db[k];
    }
    const Eigen::Quaterniond qx(x[3], x[4], x[5], x[6]);
    const Eigen::Quaterniond qy(y[3], y[4], y[5], y[6]);
    Eigen::Matrix<double, 7, 1> result;
    result.head<3>() = qx.normalized().conjugate() *
                       (Eigen::Map<Vector3d>(y) - Eigen::Map<Vector3d>(x));
    result.tail<4>() = (qx.conjugate() * qy).normalized().coeffs();
    return result;
  };
  constexpr double kStep = 1e-6;
  EXPECT_LT((relative(kStep) - relative(-kStep)).norm() / (2.0 * kStep), 1e-8);
}

TEST(MotionReadings, EachReadingIsLinearInTheMotion) {
  for (const int size : {1, 2, 3, 4, 6, 7, 9, 12}) {
    std::vector<double> values(size);
    for (int k = 0; k < size; ++k) values[k] = 0.3 + 0.1 * k;
    SimilarityMotion one;
    one.translation = {1, 2, 3};
    SimilarityMotion two;
    two.rotation = {-1, 0.5, 0.25};
    two.scale = 2.0;
    SimilarityMotion both = two;
    both.translation = one.translation;
    for (const MotionReading& reading : ReadingsOfSize(size)) {
      std::vector<double> d1(size), d2(size), d12(size);
      reading.move(values.data(), size, one, d1.data());
      reading.move(values.data(), size, two, d2.data());
      reading.move(values.data(), size, both, d12.data());
      for (int k = 0; k < size; ++k) {
        EXPECT_NEAR(d1[k] + d2[k], d12[k], 1e-14) << reading.name;
      }
    }
  }
}

}  // namespace
}  // namespace ceres::internal
