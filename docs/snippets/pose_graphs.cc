// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Corrects the path of a robot that comes back to places it has seen.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "ceres/ceres.h"
#include "noise.h"

namespace {

constexpr double kPi = 3.14159265358979;

// [residual]
using Pose = std::array<double, 3>;  // {x, y in metres, yaw in radians}.

// The angle, in [-pi, pi).
template <typename T>
T NormalizeAngle(const T& angle) {
  return angle - 2.0 * kPi * floor((angle + kPi) / (2.0 * kPi));
}

// Pose b in the frame of pose a.
template <typename T>
Eigen::Matrix<T, 3, 1> Relative(const T* a, const T* b) {
  const T c = cos(a[2]), s = sin(a[2]);
  const T dx = b[0] - a[0], dy = b[1] - a[1];
  return {c * dx + s * dy, -s * dx + c * dy, b[2] - a[2]};
}

struct RelativePoseError {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    Eigen::Matrix<T, 3, 1> error = Relative(a, b) - measured.cast<T>();
    error[2] = NormalizeAngle(error[2]);
    Eigen::Map<Eigen::Matrix<T, 3, 1>> whitened(residual);
    whitened = sqrt_information.cast<T>() * error;
    return true;
  }

  Eigen::Vector3d measured;
  Eigen::Matrix3d sqrt_information;  // U, with U' U = covariance^-1.
};
// [/residual]

struct Edge {
  int a, b;
  RelativePoseError error;
};

// [data]
RelativePoseError Measure(const Pose& a, const Pose& b,
                          const Eigen::Vector3d& sigma, Noise* noise) {
  RelativePoseError error;
  error.measured = Relative(a.data(), b.data());
  for (int i = 0; i < 3; ++i) error.measured[i] += noise->Normal(sigma[i]);
  const Eigen::Matrix3d information =
      sigma.array().square().inverse().matrix().asDiagonal();
  error.sqrt_information = information.llt().matrixU();
  return error;
}

// Two rounds of a closed road of 80 poses each.
std::vector<Pose> TruePoses() {
  std::vector<Pose> poses;
  for (int i = 0; i < 160; ++i) {
    const double t = 2.0 * kPi * i / 80.0;
    const double x = 20.0 * std::cos(t) + 4.0 * std::cos(2.0 * t);
    const double y = 12.0 * std::sin(t) + 3.0 * std::sin(3.0 * t);
    const double dx = -20.0 * std::sin(t) - 8.0 * std::sin(2.0 * t);
    const double dy = 12.0 * std::cos(t) + 9.0 * std::cos(3.0 * t);
    poses.push_back({x, y, std::atan2(dy, dx)});
  }
  return poses;
}
// [/data]

double RmsDistance(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::pow(a[i][0] - b[i][0], 2) + std::pow(a[i][1] - b[i][1], 2);
  }
  return std::sqrt(sum / a.size());
}

}  // namespace

int main() {
  // [edges]
  Noise noise;
  const std::vector<Pose> truth = TruePoses();
  const int n = static_cast<int>(truth.size());
  std::vector<Edge> edges;
  for (int i = 1; i < n; ++i) {  // Wheels: each pose from the one before.
    edges.push_back(
        {i - 1, i,
         Measure(truth[i - 1], truth[i], {0.05, 0.02, 0.02}, &noise)});
  }
  for (int i = 80; i < n; i += 16) {  // Places seen again in round two.
    edges.push_back(
        {i - 80, i,
         Measure(truth[i - 80], truth[i], {0.05, 0.05, 0.01}, &noise)});
  }

  // The initial guess: the wheels alone.
  std::vector<Pose> start = {truth[0]};
  for (int i = 1; i < n; ++i) {
    const Pose& p = start.back();
    const Eigen::Vector3d& step = edges[i - 1].error.measured;
    const double c = std::cos(p[2]), s = std::sin(p[2]);
    start.push_back({p[0] + c * step[0] - s * step[1],
                     p[1] + s * step[0] + c * step[1], p[2] + step[2]});
  }
  // [/edges]

  // [solve]
  std::vector<Pose> poses = start;
  ceres::Problem problem;
  for (const Edge& edge : edges) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<RelativePoseError, 3, 3, 3>(
            new RelativePoseError(edge.error)),
        nullptr, poses[edge.a].data(), poses[edge.b].data());
  }
  // Relative measurements do not say where the whole path is.
  problem.SetParameterBlockConstant(poses[0].data());
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  std::printf("%d poses, %d edges: %s\n", n, static_cast<int>(edges.size()),
              ceres::TerminationTypeToString(summary.termination_type));
  std::printf("cost %.0f before, %.0f after\n", summary.initial_cost,
              summary.final_cost);
  std::printf("rms error of positions: %.2f m before, %.2f m after\n",
              RmsDistance(start, truth), RmsDistance(poses, truth));

  // [covariance]
  ceres::Covariance covariance(ceres::Covariance::Options{});
  const double* half = poses[40].data();
  const double* last = poses[n - 1].data();
  const std::vector<const double*> blocks = {half, last};
  if (!covariance.Compute(blocks, &problem)) return 1;
  for (const double* pose : {half, last}) {
    double c[9];
    covariance.GetCovarianceBlock(pose, pose, c);
    std::printf("standard deviation of pose %3d: %.2f m, %.2f m, %.3f rad\n",
                pose == half ? 40 : n - 1, std::sqrt(c[0]), std::sqrt(c[4]),
                std::sqrt(c[8]));
  }
  // [/covariance]

  std::printf("pose   true x      y   before x      y    after x      y\n");
  for (int i = 0; i < n; i += 2) {
    std::printf("%4d  %7.2f %6.2f    %7.2f %6.2f    %7.2f %6.2f\n", i,
                truth[i][0], truth[i][1], start[i][0], start[i][1], poses[i][0],
                poses[i][1]);
  }
}
