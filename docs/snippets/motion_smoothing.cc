// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Smooths noisy positions of a vehicle with a model of constant velocity.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [cost]
// A state is (x, y, vx, vy): metres, metres per second.
struct PositionError {
  template <typename T>
  bool operator()(const T* state, T* residual) const {
    residual[0] = (state[0] - x) / sigma;
    residual[1] = (state[1] - y) / sigma;
    return true;
  }

  double x, y, sigma;
};

// The velocity changes by white noise of the density q (m^2 / s^3). Over a
// time step h, change d = (position, velocity) of each axis has the covariance
//
//   q [h^3/3  h^2/2]
//     [h^2/2  h    ]
//
// The rows of the residual are L^-1 d with its Cholesky factor L.
struct MotionError {
  template <typename T>
  bool operator()(const T* from, const T* to, T* residual) const {
    const double l00 = std::sqrt(q * h * h * h / 3);
    const double l10 = q * h * h / 2 / l00;
    const double l11 = std::sqrt(q * h - l10 * l10);
    for (int axis = 0; axis < 2; ++axis) {
      const T position = to[axis] - from[axis] - h * from[axis + 2];
      const T velocity = to[axis + 2] - from[axis + 2];
      residual[2 * axis] = position / l00;
      residual[2 * axis + 1] = (velocity - l10 * residual[2 * axis]) / l11;
    }
    return true;
  }

  double h, q;
};
// [/cost]

}  // namespace

int main() {
  const int num_steps = 60;
  const double h = 0.5, sigma = 1.5, q = 0.2;
  Noise noise;
  std::vector<std::array<double, 2>> truth, measured;
  for (int i = 0; i < num_steps; ++i) {
    const double angle = 0.1 * i;
    truth.push_back({20 * std::sin(angle), 12 * std::sin(2 * angle) / 2});
    measured.push_back(
        {truth[i][0] + noise.Normal(sigma), truth[i][1] + noise.Normal(sigma)});
  }
  const auto is_missing = [](int i) { return i >= 25 && i < 30; };  // A tunnel.

  // [solve]
  std::vector<std::array<double, 4>> states(num_steps);
  ceres::Problem problem;
  for (int i = 0; i < num_steps; ++i) {
    states[i] = {measured[i][0], measured[i][1], 0.0, 0.0};
    if (!is_missing(i)) {
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<PositionError, 2, 4>(
              new PositionError{measured[i][0], measured[i][1], sigma}),
          nullptr, states[i].data());
    }
    if (i > 0) {
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<MotionError, 4, 4, 4>(
              new MotionError{h, q}),
          nullptr, states[i - 1].data(), states[i].data());
    }
  }
  // The matrix is block tridiagonal: a sparse factorization takes O(n).
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  double before = 0.0, after = 0.0;
  for (int i = 0; i < num_steps; ++i) {
    for (int k = 0; k < 2; ++k) {
      if (is_missing(i)) continue;
      before += std::pow(measured[i][k] - truth[i][k], 2);
      after += std::pow(states[i][k] - truth[i][k], 2);
    }
  }
  std::printf("rms error, measured: %.2f m, smoothed: %.2f m\n",
              std::sqrt(before / (2 * num_steps - 10)),
              std::sqrt(after / (2 * num_steps - 10)));
  std::printf("  i    true x  true y    measured x   y    smoothed x   y\n");
  for (int i = 0; i < num_steps; ++i) {
    std::printf("%3d   %7.2f %7.2f   ", i, truth[i][0], truth[i][1]);
    if (is_missing(i)) {
      std::printf("      -       -");
    } else {
      std::printf("%7.2f %7.2f", measured[i][0], measured[i][1]);
    }
    std::printf("   %7.2f %7.2f\n", states[i][0], states[i][1]);
  }
}
