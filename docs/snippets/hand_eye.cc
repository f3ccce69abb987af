// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Finds the pose of a camera on the hand of a robot arm, from motions of the
// hand and of the camera (AX = XB).

#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [cost]
// A: motion of the hand between two poses, from the joint angles.
// B: motion of the camera between the same poses, from images of a target.
// X: pose of the camera in the frame of the hand; A X = X B.
// Parameters: X as a unit quaternion (Eigen's order: x, y, z, w), and
// translation in metres.
struct HandEyeError {
  template <typename T>
  bool operator()(const T* rotation, const T* translation, T* residual) const {
    using Vector = Eigen::Matrix<T, 3, 1>;
    const Eigen::Map<const Eigen::Quaternion<T>> q(rotation);
    const Eigen::Map<const Vector> t(translation);
    const Eigen::Quaternion<T> qa = hand.rotation.cast<T>();
    const Eigen::Quaternion<T> qb = camera.rotation.cast<T>();
    // Twice the vector part of a small rotation is its angle axis.
    const Eigen::Quaternion<T> difference = (qa * q) * (q * qb).conjugate();
    Eigen::Map<Vector> rotation_error(residual);
    rotation_error = T(2.0 / sigma_rotation) * difference.vec();
    const Vector left = qa * t + hand.translation.cast<T>();
    const Vector right = q * camera.translation.cast<T>() + t;
    Eigen::Map<Vector> translation_error(residual + 3);
    translation_error = (left - right) / T(sigma_translation);
    return true;
  }

  struct Motion {
    Eigen::Quaterniond rotation;
    Eigen::Vector3d translation;
  };
  Motion hand, camera;
  double sigma_rotation, sigma_translation;  // Radians, metres.
};
// [/cost]

Eigen::Quaterniond FromAngleAxis(const Eigen::Vector3d& v) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(v.norm(), v.normalized()));
}

}  // namespace

int main() {
  const Eigen::Quaterniond true_rotation = FromAngleAxis({0.1, -0.2, 1.5});
  const Eigen::Vector3d true_translation(0.04, -0.02, 0.11);
  const double sigma_rotation = 0.002, sigma_translation = 0.001;

  Noise noise;
  const auto noise_vector = [&noise](double sigma) {
    return Eigen::Vector3d(noise.Normal(sigma), noise.Normal(sigma),
                           noise.Normal(sigma));
  };
  std::vector<HandEyeError> motions;
  for (int i = 0; i < 15; ++i) {
    // Axes that are not parallel: otherwise X is not determined.
    const HandEyeError::Motion hand = {
        FromAngleAxis({0.6 * std::sin(1.3 * i), 0.6 * std::cos(2.1 * i), 0.4}),
        {0.3 * std::cos(i), 0.2 * std::sin(2.0 * i), 0.05 * i}};
    // B = X^-1 A X.
    HandEyeError::Motion camera;
    camera.rotation = true_rotation.conjugate() * hand.rotation * true_rotation;
    camera.translation =
        true_rotation.conjugate() * (hand.rotation * true_translation +
                                     hand.translation - true_translation);
    camera.rotation =
        camera.rotation * FromAngleAxis(noise_vector(sigma_rotation));
    camera.translation += noise_vector(sigma_translation);
    motions.push_back({hand, camera, sigma_rotation, sigma_translation});
  }

  // [solve]
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();
  ceres::Problem problem;
  for (const HandEyeError& motion : motions) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<HandEyeError, 6, 4, 3>(
            new HandEyeError(motion)),
        nullptr, rotation.coeffs().data(), translation.data());
  }
  problem.SetManifold(rotation.coeffs().data(),
                      new ceres::EigenQuaternionManifold);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  if (rotation.w() < 0.0) rotation.coeffs() *= -1.0;  // The same rotation.
  std::printf("           x       y       z       w\n");
  std::printf("rotation %6.3f  %6.3f  %6.3f  %6.3f\n", rotation.x(),
              rotation.y(), rotation.z(), rotation.w());
  std::printf("true     %6.3f  %6.3f  %6.3f  %6.3f\n", true_rotation.x(),
              true_rotation.y(), true_rotation.z(), true_rotation.w());
  std::printf("position %6.3f  %6.3f  %6.3f  metres\n", translation.x(),
              translation.y(), translation.z());
  std::printf("true     %6.3f  %6.3f  %6.3f\n", true_translation.x(),
              true_translation.y(), true_translation.z());
  std::printf("error: %.2f mrad, %.2f mm\n",
              1e3 * rotation.angularDistance(true_rotation),
              1e3 * (translation - true_translation).norm());
  std::printf("errors of each motion: rotation in mrad, translation in mm\n");
  for (const HandEyeError& motion : motions) {
    double r[6];
    motion(rotation.coeffs().data(), translation.data(), r);
    std::printf("%6.2f %6.2f\n",
                1e3 * sigma_rotation * Eigen::Vector3d(r).norm(),
                1e3 * sigma_translation * Eigen::Vector3d(r + 3).norm());
  }
}
