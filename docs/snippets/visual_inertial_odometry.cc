// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A camera and an inertial measurement unit fly a loop. The last ten keyframes
// are estimated together, after each new keyframe.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "Eigen/Core"
#include "ceres/ceres.h"
#include "ceres/factors/imu_factor.h"
#include "ceres/factors/reprojection.h"
#include "ceres/factors/spatial_groups.h"
#include "noise.h"

using ceres::factors::ImuFactor;
using ceres::factors::ImuNoise;
using ceres::factors::ImuPreintegration;
using ceres::factors::PinholeCamera;
using ceres::factors::RigReprojectionFactor;
using ceres::factors::SE3;
using ceres::factors::SE3Manifold;
using Vector3 = Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;

namespace {

constexpr int kKeyframes = 60;
constexpr int kWindow = 10;
constexpr int kSamples = 40;     // Of the IMU between keyframes.
constexpr double kStep = 0.005;  // Seconds between them.
constexpr double kPixelSigma = 0.5;
const Vector3 kGravity(0.0, 0.0, -9.81);

using Pose = std::array<double, 7>;

struct Keyframe {
  Pose pose;
  Vector3 velocity;
  Vector6 bias;
  std::map<int, Eigen::Vector2d> pixels;  // By landmark.
};

struct Simulation {
  // Pose and velocity of the body: a circle of radius 4 m at 2 m/s, up and
  // down, with the x axis ahead.
  static void Motion(double time, Pose* pose, Vector3* velocity) {
    const double angle = 0.5 * time;
    const double yaw = angle + 1.5707963267948966;
    const Vector6 roll = (Vector6() << 0.2 * std::sin(1.3 * time),
                          0.2 * std::cos(0.9 * time), 0, 0, 0, 0)
                             .finished();
    const Vector6 heading = (Vector6() << 0, 0, yaw, 0, 0, 0).finished();
    Pose a, b;
    SE3::Exp(heading.data(), a.data());
    SE3::Exp(roll.data(), b.data());
    SE3::Compose(a.data(), b.data(), pose->data());
    Eigen::Map<Vector3>(pose->data() + 4) =
        Vector3(4.0 * std::cos(angle), 4.0 * std::sin(angle),
                0.5 * std::sin(1.5 * time));
    *velocity = Vector3(-2.0 * std::sin(angle), 2.0 * std::cos(angle),
                        0.75 * std::cos(1.5 * time));
  }

  // What the sensor measures between two times, without noise.
  static void Measure(double from, double to, Vector3* angular_velocity,
                      Vector3* specific_force) {
    Pose a, b;
    Vector3 va, vb, turn;
    Motion(from, &a, &va);
    Motion(to, &b, &vb);
    SE3::Rotation::Minus(b.data(), a.data(), turn.data());
    *angular_velocity = turn / (to - from);
    Pose middle;
    Vector3 unused;
    Motion(0.5 * (from + to), &middle, &unused);
    double back[4];
    SE3::Rotation::Inverse(middle.data(), back);
    const Vector3 force = (vb - va) / (to - from) - kGravity;
    SE3::Rotation::Act(back, force.data(), specific_force->data());
  }
};

// Landmarks on a wall around the loop.
std::vector<Vector3> MakeLandmarks(Noise* noise) {
  std::vector<Vector3> landmarks;
  for (int i = 0; i < 400; ++i) {
    const double angle = 6.283185307179586 * noise->Uniform();
    const double radius = 8.0 + 3.0 * noise->Uniform();
    landmarks.emplace_back(radius * std::cos(angle), radius * std::sin(angle),
                           6.0 * noise->Uniform() - 3.0);
  }
  return landmarks;
}

// What the camera sees from a pose of the body.
std::map<int, Eigen::Vector2d> TakeImage(
    const Pose& pose, const std::vector<Vector3>& landmarks,
    const Pose& extrinsics, const std::array<double, 4>& intrinsics,
    Noise* noise) {
  std::map<int, Eigen::Vector2d> image;
  for (std::size_t id = 0; id < landmarks.size(); ++id) {
    Vector3 body, local;
    Eigen::Vector2d pixel;
    SE3::ActInverse(pose.data(), landmarks[id].data(), body.data());
    SE3::ActInverse(extrinsics.data(), body.data(), local.data());
    if (!PinholeCamera::Project(intrinsics.data(), local.data(),
                                pixel.data()) ||
        pixel.x() < 0 || pixel.x() > 640 || pixel.y() < 0 || pixel.y() > 480) {
      continue;
    }
    image[static_cast<int>(id)] =
        pixel +
        Eigen::Vector2d(noise->Normal(kPixelSigma), noise->Normal(kPixelSigma));
  }
  return image;
}

// Integrates the measurements after keyframe i: with the estimated bias, and
// with none.
void Integrate(int i, const Vector6& true_bias, Noise* noise,
               ImuPreintegration* with_bias, ImuPreintegration* without_bias) {
  const double gyroscope = with_bias->noise().gyroscope / std::sqrt(kStep);
  const double accelerometer =
      with_bias->noise().accelerometer / std::sqrt(kStep);
  for (int k = 0; k < kSamples; ++k) {
    const double time = (i * kSamples + k) * kStep;
    Vector3 angular_velocity, force;
    Simulation::Measure(time, time + kStep, &angular_velocity, &force);
    for (int axis = 0; axis < 3; ++axis) {
      angular_velocity[axis] += true_bias[axis] + noise->Normal(gyroscope);
      force[axis] += true_bias[3 + axis] + noise->Normal(accelerometer);
    }
    with_bias->Integrate(angular_velocity, force, kStep);
    without_bias->Integrate(angular_velocity, force, kStep);
  }
}

// The pose of the camera in the body: it looks to the right, out of the loop.
Pose MakeExtrinsics() {
  const double pi = 3.141592653589793;
  const double right[6] = {-0.5 * pi, 0, 0, 0.1, 0, 0.05};
  const double turn[6] = {0, pi, 0, 0, 0, 0};
  Pose a, b, extrinsics;
  SE3::Exp(right, a.data());
  SE3::Exp(turn, b.data());
  SE3::Compose(a.data(), b.data(), extrinsics.data());
  return extrinsics;
}

Vector3 Position(const Keyframe& frame) {
  return Eigen::Map<const Vector3>(frame.pose.data() + 4);
}

void Print(const std::vector<Keyframe>& truth,
           const std::vector<Keyframe>& inertial,
           const std::vector<Keyframe>& estimate, const Vector6& true_bias) {
  double length = 0.0;
  for (int i = 1; i < kKeyframes; ++i) {
    length += (Position(truth[i]) - Position(truth[i - 1])).norm();
  }
  const Vector3 end = Position(truth.back());
  std::printf("length of the path:           %6.2f m\n", length);
  std::printf("error at its end, inertial:   %6.2f m\n",
              (Position(inertial.back()) - end).norm());
  std::printf("error at its end, odometry:   %6.2f m\n",
              (Position(estimate.back()) - end).norm());
  std::printf("error of the gyroscope bias:  %6.4f rad/s\n",
              (estimate.back().bias - true_bias).head<3>().norm());
  std::printf("x and y in metres: truth, inertial, odometry\n");
  for (int i = 0; i < kKeyframes; ++i) {
    for (const Keyframe* frame : {&truth[i], &inertial[i], &estimate[i]}) {
      std::printf("%7.2f %6.2f", Position(*frame).x(), Position(*frame).y());
    }
    std::printf("\n");
  }
}

// [window]
// Estimates the keyframes [begin, end) from images and inertial measurements.
// The pose of the first one stays where earlier windows have put it. Landmarks
// that three keyframes have seen are estimated, too.
void SolveWindow(int begin, int end, const std::vector<ImuPreintegration>& imu,
                 const std::vector<Vector3>& start_values, Pose* extrinsics,
                 std::array<double, 4>* intrinsics,
                 std::vector<Keyframe>* keyframes) {
  ceres::Problem problem;
  std::map<int, Vector3> landmarks;
  std::map<int, int> num_images;
  for (int i = begin; i < end; ++i) {
    Keyframe& frame = (*keyframes)[i];
    problem.AddParameterBlock(frame.pose.data(), 7, new SE3Manifold);
    for (const auto& image : frame.pixels) ++num_images[image.first];
  }
  for (int i = begin; i < end; ++i) {
    Keyframe& frame = (*keyframes)[i];
    for (const auto& [id, pixel] : frame.pixels) {
      if (num_images[id] < 3) continue;
      Vector3& landmark = landmarks.emplace(id, start_values[id]).first->second;
      problem.AddResidualBlock(RigReprojectionFactor<PinholeCamera>::Create(
                                   pixel.x(), pixel.y(), kPixelSigma),
                               nullptr, frame.pose.data(), extrinsics->data(),
                               landmark.data(), intrinsics->data());
    }
    if (i + 1 == end) continue;
    Keyframe& next = (*keyframes)[i + 1];
    problem.AddResidualBlock(ImuFactor<SE3>::Create(imu[i], kGravity), nullptr,
                             frame.pose.data(), frame.velocity.data(),
                             frame.bias.data(), next.pose.data(),
                             next.velocity.data());
    problem.AddResidualBlock(ceres::factors::BiasWalkFactor::Create(
                                 imu[i].noise(), imu[i].duration()),
                             nullptr, frame.bias.data(), next.bias.data());
  }
  problem.SetParameterBlockConstant((*keyframes)[begin].pose.data());
  if (!landmarks.empty()) {
    problem.SetParameterBlockConstant(extrinsics->data());
    problem.SetParameterBlockConstant(intrinsics->data());
  }
  if (begin == 0) {
    problem.SetParameterBlockConstant((*keyframes)[0].velocity.data());
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  options.max_num_iterations = 8;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
}
// [/window]

}  // namespace

int main() {
  Noise noise;
  const std::vector<Vector3> landmarks = MakeLandmarks(&noise);
  std::vector<Vector3> start_values = landmarks;
  for (Vector3& p : start_values) {
    p += Vector3(noise.Normal(0.3), noise.Normal(0.3), noise.Normal(0.3));
  }
  Pose extrinsics = MakeExtrinsics();
  std::array<double, 4> intrinsics = {400.0, 400.0, 320.0, 240.0};

  ImuNoise imu_noise;
  imu_noise.gyroscope = 2e-3;
  imu_noise.accelerometer = 2e-2;
  const Vector6 true_bias =
      (Vector6() << 0.01, -0.02, 0.015, 0.1, -0.05, 0.08).finished();
  std::vector<Keyframe> truth(kKeyframes), estimate(kKeyframes),
      inertial(kKeyframes);
  std::vector<ImuPreintegration> imu;
  for (int i = 0; i < kKeyframes; ++i) {
    Simulation::Motion(i * kSamples * kStep, &truth[i].pose,
                       &truth[i].velocity);
    estimate[i].pixels =
        TakeImage(truth[i].pose, landmarks, extrinsics, intrinsics, &noise);
  }
  estimate[0].pose = truth[0].pose;
  estimate[0].velocity = truth[0].velocity;
  estimate[0].bias = Vector6::Zero();
  inertial[0] = estimate[0];

  // [odometry]
  for (int i = 1; i < kKeyframes; ++i) {
    // The measurements since the last keyframe, with its bias.
    imu.emplace_back(imu_noise, estimate[i - 1].bias);
    ImuPreintegration without_bias(imu_noise, Vector6::Zero());
    Integrate(i - 1, true_bias, &noise, &imu.back(), &without_bias);
    estimate[i].bias = estimate[i - 1].bias;
    imu.back().Predict(estimate[i - 1].pose.data(), estimate[i - 1].velocity,
                       estimate[i].bias, kGravity, estimate[i].pose.data(),
                       &estimate[i].velocity);
    SolveWindow(std::max(0, i + 1 - kWindow), i + 1, imu, start_values,
                &extrinsics, &intrinsics, &estimate);
    // [/odometry]
    // For comparison: inertial measurements alone.
    without_bias.Predict(inertial[i - 1].pose.data(), inertial[i - 1].velocity,
                         Vector6::Zero(), kGravity, inertial[i].pose.data(),
                         &inertial[i].velocity);
  }
  Print(truth, inertial, estimate, true_bias);
}
