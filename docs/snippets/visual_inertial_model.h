// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_DOCS_SNIPPETS_VISUAL_INERTIAL_MODEL_H_
#define VESTA_DOCS_SNIPPETS_VISUAL_INERTIAL_MODEL_H_

// Parameter and residual blocks of visual-inertial odometry, for programs of
// the documentation.

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "Eigen/Core"
#include "Eigen/LU"
#include "ceres/ceres.h"
#include "ceres/factors/imu_factor.h"
#include "ceres/factors/reprojection.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/normal_prior.h"
#include "flight.h"

struct Keyframe {
  Flight::Pose pose;
  Eigen::Vector3d velocity;
  Flight::Vector6 bias;
};

struct Sight {
  int keyframe;
  Eigen::Vector2d pixel;
};

// A landmark, from the first sight until it leaves the window.
struct Track {
  Eigen::Vector3d position;
  std::vector<Sight> sights;
  bool is_estimated = false;
};

// The states and landmarks that are estimated, and all measurements. The model
// adds both to a problem.
class Model {
 public:
  explicit Model(const Flight& flight)
      : keyframes(Flight::kKeyframes),
        flight_(flight),
        extrinsics_(flight.extrinsics),
        intrinsics_(flight.intrinsics) {
    keyframes[0] = {flight.poses[0], flight.first_velocity,
                    Flight::Vector6::Zero()};
  }

  // The first pose is the origin. Velocity and bias have priors.
  void AddStart(ceres::Problem* problem) {
    AddKeyframe(0, problem);
    problem->SetParameterBlockConstant(keyframes[0].pose.data());
    Flight::Vector6 information;
    information << Eigen::Vector3d::Constant(1.0 / Flight::kGyroscopeBias),
        Eigen::Vector3d::Constant(1.0 / Flight::kAccelerometerBias);
    problem->AddResidualBlock(
        new ceres::NormalPrior(
            ceres::Matrix::Identity(3, 3) / Flight::kFirstVelocity,
            flight_.first_velocity),
        nullptr, keyframes[0].velocity.data());
    problem->AddResidualBlock(
        new ceres::NormalPrior(ceres::Matrix(information.asDiagonal()),
                               Flight::Vector6::Zero()),
        nullptr, keyframes[0].bias.data());
  }

  // [factors]
  void AddKeyframe(int i, ceres::Problem* problem) {
    using ceres::factors::BiasWalkFactor;
    using ceres::factors::ImuFactor;
    Keyframe& frame = keyframes[i];
    problem->AddParameterBlock(frame.pose.data(), 7, &manifold_);
    if (i == 0) return;
    Keyframe& before = keyframes[i - 1];
    problem->AddResidualBlock(ImuFactor<>::Create(imu[i - 1], flight_.gravity),
                              nullptr, before.pose.data(),
                              before.velocity.data(), before.bias.data(),
                              frame.pose.data(), frame.velocity.data());
    problem->AddResidualBlock(
        BiasWalkFactor::Create(imu[i - 1].noise(), imu[i - 1].duration()),
        nullptr, before.bias.data(), frame.bias.data());
  }

  void AddSight(const Sight& sight, Track* track, ceres::Problem* problem) {
    using ceres::factors::PinholeCamera;
    using ceres::factors::RigReprojectionFactor;
    problem->AddResidualBlock(
        RigReprojectionFactor<PinholeCamera>::Create(
            sight.pixel.x(), sight.pixel.y(), Flight::kPixelSigma),
        nullptr, keyframes[sight.keyframe].pose.data(), extrinsics_.data(),
        track->position.data(), intrinsics_.data());
    problem->SetParameterBlockConstant(extrinsics_.data());
    problem->SetParameterBlockConstant(intrinsics_.data());
  }
  // [/factors]

  // The point that is nearest to the rays of all sights. Returns false if it is
  // behind a camera.
  bool Triangulate(Track* track) const {
    using ceres::factors::SE3;
    Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
    Eigen::Vector3d b = Eigen::Vector3d::Zero();
    std::vector<Flight::Pose> cameras(track->sights.size());
    for (std::size_t i = 0; i < cameras.size(); ++i) {
      const Sight& sight = track->sights[i];
      SE3::Compose(keyframes[sight.keyframe].pose.data(), extrinsics_.data(),
                   cameras[i].data());
      const Eigen::Vector3d local(
          (sight.pixel.x() - intrinsics_[2]) / intrinsics_[0],
          (sight.pixel.y() - intrinsics_[3]) / intrinsics_[1], 1.0);
      Eigen::Vector3d ray;
      SE3::Rotation::Act(cameras[i].data(), local.data(), ray.data());
      ray.normalize();
      const Eigen::Matrix3d across =
          Eigen::Matrix3d::Identity() - ray * ray.transpose();
      A += across;
      b += across * Eigen::Map<const Eigen::Vector3d>(cameras[i].data() + 4);
    }
    track->position = A.inverse() * b;
    return std::all_of(
        cameras.begin(), cameras.end(), [track](const Flight::Pose& camera) {
          Eigen::Vector3d local;
          SE3::ActInverse(camera.data(), track->position.data(), local.data());
          return local.z() > 0.1;
        });
  }

  std::vector<Keyframe> keyframes;
  std::vector<ceres::factors::ImuPreintegration> imu;  // After each keyframe.
  std::deque<Track> tracks;  // Does not move its elements.

 private:
  const Flight& flight_;
  ceres::factors::SE3Manifold manifold_;  // Of all poses.
  Flight::Pose extrinsics_;
  std::array<double, 4> intrinsics_;
};

#endif  // VESTA_DOCS_SNIPPETS_VISUAL_INERTIAL_MODEL_H_
