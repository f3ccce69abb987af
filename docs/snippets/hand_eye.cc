// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Finds the pose of a camera on the hand of a robot arm, from motions of the
// hand and of the camera (AX = XB).

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "ceres/factors/alignment_factors.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "noise.h"

using ceres::factors::EigenSE3;
using ceres::factors::EigenSE3Manifold;
using ceres::factors::HandEyeFactor;

namespace {

// A quaternion [x, y, z, w], then a position in metres.
using Pose = std::array<double, 7>;
using Tangent = Eigen::Matrix<double, 6, 1>;

constexpr double kSigmaRotation = 0.002;     // Radians.
constexpr double kSigmaTranslation = 0.001;  // Metres.

// [motion]
// The same motion of the hand, from the joint angles, and of the camera, from
// images of a target.
struct Motion {
  Pose hand, camera;
};
// [/motion]

Pose Exp(const Tangent& tangent) {
  Pose pose;
  EigenSE3::Exp(tangent.data(), pose.data());
  return pose;
}

std::vector<Motion> Measure(const Pose& truth) {
  Noise noise;
  std::vector<Motion> motions;
  for (int i = 0; i < 15; ++i) {
    // Axes that are not parallel: otherwise X is not determined.
    Tangent hand, error;
    hand << 0.6 * std::sin(1.3 * i), 0.6 * std::cos(2.1 * i), 0.4,
        0.3 * std::cos(i), 0.2 * std::sin(2.0 * i), 0.05 * i;
    for (int k = 0; k < 6; ++k) {
      error[k] = noise.Normal(k < 3 ? kSigmaRotation : kSigmaTranslation);
    }
    Motion motion;
    motion.hand = Exp(hand);
    // B = X^-1 A X.
    Pose moved, exact;
    EigenSE3::Compose(motion.hand.data(), truth.data(), moved.data());
    EigenSE3::Between(truth.data(), moved.data(), exact.data());
    EigenSE3::Plus(exact.data(), error.data(), motion.camera.data());
    motions.push_back(motion);
  }
  return motions;
}

void Print(const char* name, const Pose& x) {
  // q and -q are the same rotation.
  const double sign = x[3] < 0.0 ? -1.0 : 1.0;
  std::printf("%-9s %6.3f  %6.3f  %6.3f  %6.3f    %6.3f  %6.3f  %6.3f\n", name,
              sign * x[0], sign * x[1], sign * x[2], sign * x[3], x[4], x[5],
              x[6]);
}

}  // namespace

int main() {
  Tangent tangent;
  tangent << 0.1, -0.2, 1.5, 0.0, 0.0, 0.0;
  Pose truth = Exp(tangent);
  truth[4] = 0.04;
  truth[5] = -0.02;
  truth[6] = 0.11;
  const std::vector<Motion> motions = Measure(truth);

  // [solve]
  Tangent sigmas;
  sigmas << Eigen::Vector3d::Constant(kSigmaRotation),
      Eigen::Vector3d::Constant(kSigmaTranslation);
  const auto W = ceres::factors::SquareRootInformationFromSigmas<6>(sigmas);
  Pose camera;  // In the frame of the hand.
  EigenSE3::Identity(camera.data());
  ceres::Problem problem;
  problem.AddParameterBlock(camera.data(), 7, new EigenSE3Manifold);
  for (const Motion& motion : motions) {
    problem.AddResidualBlock(HandEyeFactor<EigenSE3>::Create(
                                 motion.hand.data(), motion.camera.data(), W),
                             nullptr, camera.data());
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  std::printf(
      "               x       y       z       w    t_x, t_y, t_z in m\n");
  Print("estimate", camera);
  Print("truth", truth);
  // [covariance]
  ceres::Covariance covariance(ceres::Covariance::Options{});
  Eigen::Matrix<double, 6, 6, Eigen::RowMajor> P;
  if (!covariance.Compute(std::vector<const double*>{camera.data()},
                          &problem)) {
    return 1;
  }
  covariance.GetCovarianceBlockInTangentSpace(camera.data(), camera.data(),
                                              P.data());
  // [/covariance]
  Tangent error;
  EigenSE3::Minus(camera.data(), truth.data(), error.data());
  const auto length = [](const Tangent& v, int begin) {
    return 1e3 * v.segment<3>(begin).norm();
  };
  const Tangent deviations = P.diagonal().cwiseSqrt();
  std::printf("error:              %.2f mrad, %.2f mm\n", length(error, 0),
              length(error, 3));
  std::printf("standard deviation: %.2f mrad, %.2f mm\n", length(deviations, 0),
              length(deviations, 3));
  std::printf("errors of each motion: rotation in mrad, translation in mm\n");
  for (const Motion& motion : motions) {
    Tangent whitened;
    HandEyeFactor<EigenSE3>(motion.hand.data(), motion.camera.data(), W)(
        camera.data(), whitened.data());
    const Tangent e = sigmas.cwiseProduct(whitened);
    std::printf("%6.2f %6.2f\n", length(e, 0), length(e, 3));
  }
  // Four standard deviations for each coordinate: exceeded once in 2000
  // calibrations.
  return (error.array().abs() < 4.0 * deviations.array()).all() ? 0 : 1;
}
