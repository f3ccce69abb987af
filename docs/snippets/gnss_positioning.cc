// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A car receives pseudoranges of eight satellites while it drives a bend. One
// satellite is reflected by a building during a part of the drive.

#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/ceres.h"
#include "ceres/factors/pseudorange.h"
#include "noise.h"

using ceres::factors::PseudorangeFactor;

namespace {

constexpr double kSigma = 2.0;       // Of a pseudorange, metres.
constexpr double kSpeedSigma = 0.1;  // Of a displacement, metres per second.
constexpr double kClockSigma = 3.0;  // Of the clock's change, metres.
constexpr double kSatelliteRadius = 26.56e6;

// A receiver at one time.
struct Epoch {
  Eigen::Vector3d truth;
  Eigen::Vector3d displacement;  // Measured, to the next epoch.
  double true_clock_bias;
  std::vector<Eigen::Vector3d> satellites;
  std::vector<double> pseudoranges;
  // Estimates.
  Eigen::Vector3d position;
  double clock_bias;
};

// [motion]
// The displacement between epochs, from wheels or from Doppler shifts.
struct DisplacementError {
  template <typename T>
  bool operator()(const T* from, const T* to, T* residuals) const {
    for (int i = 0; i < 3; ++i) {
      residuals[i] = (to[i] - from[i] - displacement[i]) / kSpeedSigma;
    }
    return true;
  }
  Eigen::Vector3d displacement;
};

// The change of the clock between epochs.
struct ClockWalk {
  template <typename T>
  bool operator()(const T* from, const T* to, T* residuals) const {
    residuals[0] = (to[0] - from[0]) / kClockSigma;
    return true;
  }
};
// [/motion]

// The frame east, north, up at a point near the surface of the Earth.
Eigen::Matrix3d LocalFrame(const Eigen::Vector3d& point) {
  Eigen::Matrix3d frame;  // Rows.
  const Eigen::Vector3d up = point.normalized();
  const Eigen::Vector3d east = Eigen::Vector3d::UnitZ().cross(up).normalized();
  frame << east.transpose(), up.cross(east).transpose(), up.transpose();
  return frame;
}

std::vector<Epoch> Simulate(const Eigen::Vector3d& origin,
                            const Eigen::Matrix3d& frame) {
  Noise noise;
  std::vector<Epoch> epochs(40);
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    Epoch& epoch = epochs[i];
    const double angle = 0.04 * i;
    epoch.truth =
        origin + frame.transpose() *
                     Eigen::Vector3d(200.0 * std::sin(angle),
                                     200.0 * (1 - std::cos(angle)), 0.5 * i);
    epoch.true_clock_bias =
        i == 0 ? 3000.0 : epochs[i - 1].true_clock_bias + noise.Normal(2.0);
    for (int s = 0; s < 8; ++s) {
      // Elevations from 20 to 76 degrees all around.
      const double azimuth = 0.785 * s + 0.002 * i;
      const double elevation = 0.35 + 0.14 * ((3 * s) % 8);
      const Eigen::Vector3d direction =
          frame.transpose() *
          Eigen::Vector3d(std::cos(elevation) * std::sin(azimuth),
                          std::cos(elevation) * std::cos(azimuth),
                          std::sin(elevation));
      const double along = direction.dot(epoch.truth);
      const double distance =
          std::sqrt(along * along + kSatelliteRadius * kSatelliteRadius -
                    epoch.truth.squaredNorm()) -
          along;
      const Eigen::Vector3d satellite = epoch.truth + distance * direction;
      const double sagnac =
          PseudorangeFactor::kEarthRotation / PseudorangeFactor::kSpeedOfLight *
          (satellite.x() * epoch.truth.y() - satellite.y() * epoch.truth.x());
      const bool reflected = s == 2 && i >= 12 && i < 26;
      epoch.satellites.push_back(satellite);
      epoch.pseudoranges.push_back(distance + sagnac + epoch.true_clock_bias +
                                   noise.Normal(kSigma) +
                                   (reflected ? 35.0 : 0.0));
    }
    epoch.position = origin;
    epoch.clock_bias = 0.0;
  }
  for (std::size_t i = 0; i + 1 < epochs.size(); ++i) {
    epochs[i].displacement =
        epochs[i + 1].truth - epochs[i].truth +
        Eigen::Vector3d(noise.Normal(kSpeedSigma), noise.Normal(kSpeedSigma),
                        noise.Normal(kSpeedSigma));
  }
  return epochs;
}

// [pseudoranges]
void AddPseudoranges(Epoch* epoch, ceres::LossFunction* loss,
                     ceres::Problem* problem) {
  for (std::size_t s = 0; s < epoch->satellites.size(); ++s) {
    problem->AddResidualBlock(
        PseudorangeFactor::Create(epoch->satellites[s], epoch->pseudoranges[s],
                                  kSigma),
        loss, epoch->position.data(), &epoch->clock_bias);
  }
}
// [/pseudoranges]

double RootMeanSquare(const std::vector<Epoch>& epochs) {
  double sum = 0.0;
  for (const Epoch& epoch : epochs) {
    sum += (epoch.position - epoch.truth).squaredNorm();
  }
  return std::sqrt(sum / epochs.size());
}

}  // namespace

int main() {
  const double radius = 6.37e6, latitude = 0.84, longitude = 0.15;
  const Eigen::Vector3d origin =
      radius * Eigen::Vector3d(std::cos(latitude) * std::cos(longitude),
                               std::cos(latitude) * std::sin(longitude),
                               std::sin(latitude));
  const Eigen::Matrix3d frame = LocalFrame(origin);
  const std::vector<Epoch> simulated = Simulate(origin, frame);
  ceres::Solver::Options options;
  ceres::Solver::Summary summary;

  // Each epoch alone.
  std::vector<Epoch> single = simulated;
  options.linear_solver_type = ceres::DENSE_QR;
  for (Epoch& epoch : single) {
    ceres::Problem problem;
    AddPseudoranges(&epoch, nullptr, &problem);
    ceres::Solve(options, &problem, &summary);
  }

  // [together]
  // All epochs together, with a loss for reflected signals.
  std::vector<Epoch> joint = single;
  ceres::HuberLoss loss(1.5);
  ceres::Problem::Options problem_options;
  problem_options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem problem(problem_options);
  for (std::size_t i = 0; i < joint.size(); ++i) {
    AddPseudoranges(&joint[i], &loss, &problem);
    if (i + 1 == joint.size()) break;
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<DisplacementError, 3, 3, 3>(
            new DisplacementError{joint[i].displacement}),
        nullptr, joint[i].position.data(), joint[i + 1].position.data());
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ClockWalk, 1, 1, 1>(new ClockWalk),
        nullptr, &joint[i].clock_bias, &joint[i + 1].clock_bias);
  }
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::Solve(options, &problem, &summary);
  // [/together]

  std::printf("root mean square error, each epoch alone: %.1f m\n",
              RootMeanSquare(single));
  std::printf("root mean square error, all together:     %.1f m\n",
              RootMeanSquare(joint));
  std::printf("east and north in metres: truth, alone, together\n");
  for (std::size_t i = 0; i < joint.size(); ++i) {
    const Eigen::Vector3d t = frame * (joint[i].truth - origin);
    const Eigen::Vector3d a = frame * (single[i].position - origin);
    const Eigen::Vector3d b = frame * (joint[i].position - origin);
    std::printf("%6.1f %6.1f  %6.1f %6.1f  %6.1f %6.1f\n", t.x(), t.y(), a.x(),
                a.y(), b.x(), b.y());
  }
}
