// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_DOCS_SNIPPETS_FLIGHT_H_
#define VESTA_DOCS_SNIPPETS_FLIGHT_H_

// A simulated flight of a camera and an inertial measurement unit, for programs
// of the documentation.

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/factors/camera_models.h"
#include "ceres/factors/imu_preintegration.h"
#include "ceres/factors/spatial_groups.h"
#include "noise.h"

// The truth and the measurements of a loop along a wall with landmarks.
class Flight {
 public:
  using SE3 = ceres::factors::SE3;
  using PinholeCamera = ceres::factors::PinholeCamera;
  using Vector3 = Eigen::Vector3d;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Pose = std::array<double, 7>;
  using Image = std::map<int, Eigen::Vector2d>;  // Pixels by landmark.

  static constexpr int kKeyframes = 60;
  static constexpr int kSamples = 40;     // Of the IMU between keyframes.
  static constexpr double kStep = 0.005;  // Seconds between samples.
  static constexpr double kPixelSigma = 0.5;
  // Standard deviations of the bias and of what is known of the first velocity.
  static constexpr double kGyroscopeBias = 0.02;     // rad/s
  static constexpr double kAccelerometerBias = 0.1;  // m/s^2
  static constexpr double kFirstVelocity = 0.1;      // m/s

  struct Sample {
    Vector3 angular_velocity, specific_force;
  };

  Flight() {
    imu_noise.gyroscope = 2e-3;
    imu_noise.accelerometer = 2e-2;
    extrinsics = MakeExtrinsics();
    Noise noise;
    for (int i = 0; i < 3; ++i) {
      bias[i] = noise.Normal(kGyroscopeBias);
      bias[3 + i] = noise.Normal(kAccelerometerBias);
      first_velocity[i] = noise.Normal(kFirstVelocity);
    }
    poses.resize(kKeyframes);
    velocities.resize(kKeyframes);
    for (int i = 0; i < kKeyframes; ++i) {
      Motion(Time(i), &poses[i], &velocities[i]);
    }
    first_velocity += velocities[0];
    const std::vector<Vector3> landmarks = MakeLandmarks(&noise);
    for (int i = 0; i < kKeyframes; ++i) {
      images.push_back(TakeImage(poses[i], landmarks, &noise));
      if (i > 0) samples.push_back(MeasureMotion(Time(i - 1), &noise));
    }
  }

  // The time of a keyframe in seconds.
  static double Time(int keyframe) { return keyframe * kSamples * kStep; }

  // The measurements between a keyframe and the next one.
  ceres::factors::ImuPreintegration Preintegrate(int keyframe,
                                                 const Vector6& start) const {
    ceres::factors::ImuPreintegration result(imu_noise, start);
    for (const Sample& sample : samples[keyframe]) {
      result.Integrate(sample.angular_velocity, sample.specific_force, kStep);
    }
    return result;
  }

  const Vector3 gravity{0.0, 0.0, -9.81};
  Pose extrinsics;  // Of the camera in the body.
  std::array<double, 4> intrinsics = {400.0, 400.0, 320.0, 240.0};
  ceres::factors::ImuNoise imu_noise;

  // The truth.
  std::vector<Pose> poses;
  std::vector<Vector3> velocities;
  Vector6 bias;

  // Measurements.
  Vector3 first_velocity;
  std::vector<Image> images;
  std::vector<std::vector<Sample>> samples;

 private:
  // The camera looks to the right, out of the loop.
  static Pose MakeExtrinsics() {
    const double pi = ceres::constants::pi;
    const double right[6] = {-0.5 * pi, 0, 0, 0.1, 0, 0.05};
    const double turn[6] = {0, pi, 0, 0, 0, 0};
    Pose a, b, result;
    SE3::Exp(right, a.data());
    SE3::Exp(turn, b.data());
    SE3::Compose(a.data(), b.data(), result.data());
    return result;
  }

  // A circle of radius 4 m at 2 m/s, up and down, with the x axis of the body
  // ahead.
  static void Motion(double time, Pose* pose, Vector3* velocity) {
    const double angle = 0.5 * time;
    const double heading[6] = {0, 0, angle + 0.5 * ceres::constants::pi,
                               0, 0, 0};
    const double tilt[6] = {
        0.2 * std::sin(1.3 * time), 0.2 * std::cos(0.9 * time), 0, 0, 0, 0};
    Pose a, b;
    SE3::Exp(heading, a.data());
    SE3::Exp(tilt, b.data());
    SE3::Compose(a.data(), b.data(), pose->data());
    Eigen::Map<Vector3>(pose->data() + 4) =
        Vector3(4.0 * std::cos(angle), 4.0 * std::sin(angle),
                0.5 * std::sin(1.5 * time));
    *velocity = Vector3(-2.0 * std::sin(angle), 2.0 * std::cos(angle),
                        0.75 * std::cos(1.5 * time));
  }

  // The samples of the time between two keyframes.
  std::vector<Sample> MeasureMotion(double begin, Noise* noise) const {
    const double gyroscope = imu_noise.gyroscope / std::sqrt(kStep);
    const double accelerometer = imu_noise.accelerometer / std::sqrt(kStep);
    std::vector<Sample> result;
    for (int k = 0; k < kSamples; ++k) {
      const double time = begin + k * kStep;
      Pose a, b, middle;
      Vector3 va, vb, unused, turn, force;
      Motion(time, &a, &va);
      Motion(time + kStep, &b, &vb);
      Motion(time + 0.5 * kStep, &middle, &unused);
      SE3::Rotation::Minus(b.data(), a.data(), turn.data());
      double back[4];
      SE3::Rotation::Inverse(middle.data(), back);
      const Vector3 world = (vb - va) / kStep - gravity;
      SE3::Rotation::Act(back, world.data(), force.data());
      for (int i = 0; i < 3; ++i) {
        turn[i] += kStep * (bias[i] + noise->Normal(gyroscope));
        force[i] += bias[3 + i] + noise->Normal(accelerometer);
      }
      result.push_back({turn / kStep, force});
    }
    return result;
  }

  // Landmarks on a wall around the loop.
  static std::vector<Vector3> MakeLandmarks(Noise* noise) {
    std::vector<Vector3> result;
    for (int i = 0; i < 400; ++i) {
      const double angle = 2.0 * ceres::constants::pi * noise->Uniform();
      const double radius = 8.0 + 3.0 * noise->Uniform();
      const double height = 6.0 * noise->Uniform() - 3.0;
      result.emplace_back(radius * std::cos(angle), radius * std::sin(angle),
                          height);
    }
    return result;
  }

  // What the camera sees from a pose of the body.
  Image TakeImage(const Pose& pose, const std::vector<Vector3>& landmarks,
                  Noise* noise) const {
    Image image;
    for (int id = 0; id < static_cast<int>(landmarks.size()); ++id) {
      Vector3 body, local;
      Eigen::Vector2d pixel;
      SE3::ActInverse(pose.data(), landmarks[id].data(), body.data());
      SE3::ActInverse(extrinsics.data(), body.data(), local.data());
      if (PinholeCamera::Project(intrinsics.data(), local.data(),
                                 pixel.data()) &&
          pixel.x() > 0 && pixel.x() < 640 && pixel.y() > 0 &&
          pixel.y() < 480) {
        for (int i = 0; i < 2; ++i) pixel[i] += noise->Normal(kPixelSigma);
        image[id] = pixel;
      }
    }
    return image;
  }
};

#endif  // VESTA_DOCS_SNIPPETS_FLIGHT_H_
