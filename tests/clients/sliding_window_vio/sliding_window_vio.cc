// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A camera and an inertial sensor move on a rising circle and look outwards, at
// landmarks around it. A window of eight frames estimates the motion.

#include <cmath>
#include <map>
#include <vector>

#include "seeded_noise.h"
#include "sliding_window.h"

namespace {

constexpr int kNumFrames = 40;
constexpr int kSamplesPerFrame = 20;
constexpr double kSample = 0.01;   // seconds
constexpr double kTurnRate = 0.5;  // radians per second
constexpr double kBearingSigma = 0.002;
const Eigen::Vector3d kBias(0.08, -0.05, 0.03);

Eigen::Vector3d Noise(clients::SeededNoise* noise, double sigma) {
  Eigen::Vector3d v;
  for (int i = 0; i < 3; ++i) v[i] = sigma * noise->Normal();
  return v;
}

vio::Frame TrueFrame(double t) {
  const double c = std::cos(kTurnRate * t);
  const double s = std::sin(kTurnRate * t);
  Eigen::Matrix3d to_world;
  to_world << s, 0.0, c, -c, 0.0, s, 0.0, -1.0, 0.0;
  vio::Frame frame;
  Eigen::Map<Eigen::Vector3d>(frame.pose) << 4.0 * c, 4.0 * s,
      0.5 * std::sin(t);
  Eigen::Map<Eigen::Quaterniond>(frame.pose + 3) = Eigen::Quaterniond(to_world);
  Eigen::Map<Eigen::Vector3d>(frame.speed) << -4.0 * kTurnRate * s,
      4.0 * kTurnRate * c, 0.5 * std::cos(t);
  Eigen::Map<Eigen::Vector3d>(frame.speed + 3) = kBias;
  return frame;
}

vio::Preintegration Measure(double t, clients::SeededNoise* noise) {
  vio::Preintegration measured;
  for (int i = 0; i < kSamplesPerFrame; ++i) {
    const double middle = t + (i + 0.5) * kSample;
    const vio::Frame frame = TrueFrame(middle);
    const Eigen::Map<const Eigen::Quaterniond> q(frame.pose + 3);
    const double square = kTurnRate * kTurnRate;
    const Eigen::Vector3d acceleration(-square * frame.pose[0],
                                       -square * frame.pose[1], -frame.pose[2]);
    const Eigen::Vector3d gyroscope =
        q.conjugate() * Eigen::Vector3d(0.0, 0.0, kTurnRate) +
        Noise(noise, 0.002);
    const Eigen::Vector3d accelerometer =
        q.conjugate() * (acceleration - vio::kGravity) + kBias +
        Noise(noise, 0.05);
    measured.Add(gyroscope, accelerometer, kSample);
  }
  return measured;
}

std::map<int, Eigen::Vector2d> See(
    const vio::Frame& frame, const std::vector<Eigen::Vector3d>& landmarks,
    clients::SeededNoise* noise) {
  std::map<int, Eigen::Vector2d> bearings;
  const Eigen::Map<const Eigen::Vector3d> p(frame.pose);
  const Eigen::Map<const Eigen::Quaterniond> q(frame.pose + 3);
  for (int i = 0; i < static_cast<int>(landmarks.size()); ++i) {
    const Eigen::Vector3d seen = q.conjugate() * (landmarks[i] - p);
    if (seen.z() < 1.0) continue;
    const Eigen::Vector2d bearing = seen.head<2>() / seen.z();
    if (bearing.cwiseAbs().maxCoeff() > 0.8) continue;
    bearings[i] = bearing + Noise(noise, kBearingSigma).head<2>();
  }
  return bearings;
}

}  // namespace

int main() {
  clients::SeededNoise noise(77);
  std::vector<Eigen::Vector3d> landmarks;
  for (int i = 0; i < 400; ++i) {
    const double angle = noise.Uniform(-0.8, 5.2);
    const double radius = noise.Uniform(8.0, 14.0);
    const double height = noise.Uniform(-4.0, 4.0);
    landmarks.emplace_back(radius * std::cos(angle), radius * std::sin(angle),
                           height);
  }

  vio::SlidingWindow window(8);
  vio::Frame first = TrueFrame(0.0);
  Eigen::Map<Eigen::Vector3d>(first.speed + 3).setZero();
  window.Start(first, 0.1);
  double sum_of_costs = 0.0;
  double sum_of_squares = 0.0;
  const double step = kSamplesPerFrame * kSample;
  for (int i = 1; i < kNumFrames; ++i) {
    const vio::Frame truth = TrueFrame(i * step);
    window.AddFrame(Measure((i - 1) * step, &noise),
                    See(truth, landmarks, &noise), kBearingSigma);
    sum_of_costs += window.Solve();
    const Eigen::Map<const Eigen::Vector3d> p(window.newest().pose);
    sum_of_squares +=
        (p - Eigen::Map<const Eigen::Vector3d>(truth.pose)).squaredNorm();
    window.Shrink();
  }

  const vio::Frame& last = window.newest();
  const vio::Frame truth = TrueFrame((kNumFrames - 1) * step);
  clients::PrintFigure("sum_of_costs", sum_of_costs);
  clients::PrintFigure("position_rms", std::sqrt(sum_of_squares / kNumFrames));
  clients::PrintFigure("speed_error",
                       (Eigen::Map<const Eigen::Vector3d>(last.speed) -
                        Eigen::Map<const Eigen::Vector3d>(truth.speed))
                           .norm());
  clients::PrintFigure("bias_x", last.speed[3]);
  clients::PrintFigure("bias_y", last.speed[4]);
  clients::PrintFigure("bias_z", last.speed[5]);
  clients::PrintFigure("removed_blocks", window.num_removed_blocks());
  clients::PrintFigure("prior_rows", window.num_prior_rows());
  clients::PrintFigure("parameter_blocks",
                       window.problem().NumParameterBlocks());
  clients::PrintFigure("residual_blocks", window.problem().NumResidualBlocks());
  return 0;
}
