// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A robot drives around an octagon. Odometry and one loop closure give its
// poses.

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "ceres/constants.h"
#include "ceres/factors/relative_factors.h"
#include "noise.h"

using ceres::factors::BetweenFactor;
using ceres::factors::PriorFactor;
using ceres::factors::SE3;
using ceres::factors::SE3Manifold;

namespace {

using Pose = std::array<double, 7>;  // [w, x, y, z, t_x, t_y, t_z].
using Vector6 = Eigen::Matrix<double, 6, 1>;

}  // namespace

int main() {
  // [groups]
  // One metre ahead, then an eighth of a turn to the left.
  const Vector6 step = (Vector6() << 0, 0, 0, 1, 0, 0).finished();
  const Vector6 turn =
      (Vector6() << 0, 0, ceres::constants::pi / 4, 0, 0, 0).finished();
  Pose move, rotate, motion;
  SE3::Exp(step.data(), move.data());
  SE3::Exp(turn.data(), rotate.data());
  SE3::Compose(move.data(), rotate.data(), motion.data());
  Vector6 log;
  SE3::Log(motion.data(), log.data());
  std::printf("Log(motion) = [%.3f %.3f %.3f | %.3f %.3f %.3f]\n", log[0],
              log[1], log[2], log[3], log[4], log[5]);
  // [/groups]

  // [weights]
  // 0.01 rad and 0.05 m.
  const Vector6 sigmas =
      (Vector6() << 0.01, 0.01, 0.01, 0.05, 0.05, 0.05).finished();
  const auto weights =
      ceres::factors::SquareRootInformationFromSigmas<6>(sigmas);
  // [/weights]

  // Eight motions, with noise. The start values are their products.
  Noise noise;
  std::vector<Pose> poses(9), measured(8);
  SE3::Identity(poses[0].data());
  for (int i = 0; i < 8; ++i) {
    Vector6 error;
    for (int k = 0; k < 6; ++k) error[k] = noise.Normal(sigmas[k]);
    SE3::Plus(motion.data(), error.data(), measured[i].data());
    SE3::Compose(poses[i].data(), measured[i].data(), poses[i + 1].data());
  }
  // The distance from the true positions, root mean square.
  const auto position_error = [&poses, &motion] {
    Pose truth, next;
    SE3::Identity(truth.data());
    double sum = 0.0;
    for (const Pose& pose : poses) {
      for (int k = 4; k < 7; ++k) {
        sum += (pose[k] - truth[k]) * (pose[k] - truth[k]);
      }
      SE3::Compose(truth.data(), motion.data(), next.data());
      truth = next;
    }
    return std::sqrt(sum / poses.size());
  };
  std::printf("error of odometry:     %.2f m\n", position_error());

  // [problem]
  ceres::Problem problem;
  for (Pose& pose : poses) {
    problem.AddParameterBlock(pose.data(), 7, new SE3Manifold);
  }
  Pose start;
  SE3::Identity(start.data());
  problem.AddResidualBlock(
      PriorFactor<SE3>::Create(start.data(), 1000.0 * weights), nullptr,
      poses[0].data());
  for (int i = 0; i < 8; ++i) {
    problem.AddResidualBlock(
        BetweenFactor<SE3>::Create(measured[i].data(), weights), nullptr,
        poses[i].data(), poses[i + 1].data());
  }
  // The loop closure: the robot recognizes its start.
  problem.AddResidualBlock(
      BetweenFactor<SE3>::Create(start.data(), 10.0 * weights), nullptr,
      poses[0].data(), poses[8].data());
  // [/problem]
  ceres::Solver::Options options;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::printf("with the loop closure: %.2f m\n", position_error());

  // [covariance]
  Eigen::Matrix3d covariance;
  std::string error;
  covariance << 4e-4, 1e-4, 0, 1e-4, 9e-4, 0, 0, 0, 1e-2;
  Eigen::Matrix3d W;
  if (!ceres::factors::SquareRootInformationFromCovariance<3>(covariance, &W,
                                                              &error)) {
    std::printf("%s\n", error.c_str());
    return 1;
  }
  // [/covariance]
  std::printf(
      "|W^T W S - I| < 1e-12: %s\n",
      (W.transpose() * W * covariance - Eigen::Matrix3d::Identity()).norm() <
              1e-12
          ? "yes"
          : "no");
}
