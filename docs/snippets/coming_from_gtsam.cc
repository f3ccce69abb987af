// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A factor graph in the plane: one prior, odometry, a loop closure with a
// robust noise model, and marginal covariances.

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "ceres/ceres.h"

namespace {

using Pose2 = std::array<double, 3>;  // x, y, yaw.
using Sigmas = std::array<double, 3>;

// An angle in [-pi, pi).
template <typename T>
T WrapAngle(const T& angle) {
  using std::floor;
  constexpr double kTwoPi = 2.0 * ceres::constants::pi;
  return angle - kTwoPi * floor((angle + ceres::constants::pi) / kTwoPi);
}

// Rounded to two digits, never -0.00.
double Rounded(double x) { return std::round(x * 100.0) / 100.0 + 0.0; }

// [prior]
// PriorFactor<Pose2> with noiseModel::Diagonal::Sigmas.
struct Prior {
  template <typename T>
  bool operator()(const T* pose, T* residual) const {
    residual[0] = (pose[0] - mean[0]) / sigmas[0];
    residual[1] = (pose[1] - mean[1]) / sigmas[1];
    residual[2] = WrapAngle(T(pose[2] - mean[2])) / sigmas[2];
    return true;
  }

  Pose2 mean;
  Sigmas sigmas;
};
// [/prior]

// [between]
// BetweenFactor<Pose2>: `measured` is the pose b as seen from a.
struct Between {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::cos;
    using std::sin;
    const T c = cos(a[2]), s = sin(a[2]);
    const T dx = b[0] - a[0], dy = b[1] - a[1];
    residual[0] = (c * dx + s * dy - measured[0]) / sigmas[0];
    residual[1] = (-s * dx + c * dy - measured[1]) / sigmas[1];
    residual[2] = WrapAngle(T(b[2] - a[2] - measured[2])) / sigmas[2];
    return true;
  }

  Pose2 measured;
  Sigmas sigmas;
};
// [/between]

using PriorCost = ceres::AutoDiffCostFunction<Prior, 3, 3>;
using BetweenCost = ceres::AutoDiffCostFunction<Between, 3, 3, 3>;

}  // namespace

int main() {
  constexpr double kQuarterTurn = ceres::constants::pi / 2.0;
  const Sigmas prior_sigmas = {0.1, 0.1, 0.02};
  const Sigmas odometry_sigmas = {0.2, 0.2, 0.05};

  // [values]
  // Values: an array for each key. The initial estimate is rough.
  std::vector<Pose2> x = {
      {0.2, -0.1, 0.1}, {3.3, 0.2, 1.4}, {2.8, 3.2, 3.3}, {-0.3, 2.7, -1.4}};
  // [/values]

  // [graph]
  ceres::Problem graph;
  graph.AddResidualBlock(
      new PriorCost(new Prior{{0.0, 0.0, 0.0}, prior_sigmas}), nullptr,
      x[0].data());
  const Pose2 side = {3.0, 0.0, kQuarterTurn};
  for (int i = 0; i < 3; ++i) {
    graph.AddResidualBlock(new BetweenCost(new Between{side, odometry_sigmas}),
                           nullptr, x[i].data(), x[i + 1].data());
  }
  // noiseModel::Robust with mEstimator::Huber: a loss function.
  graph.AddResidualBlock(
      new BetweenCost(new Between{{3.2, 0.1, kQuarterTurn}, odometry_sigmas}),
      new ceres::HuberLoss(1.345), x[3].data(), x[0].data());
  // [/graph]

  // [optimize]
  ceres::Solver::Options options;  // LevenbergMarquardtOptimizer.
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.function_tolerance = 1e-12;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &graph, &summary);
  std::printf("error %.2f -> %.3f\n", summary.initial_cost, summary.final_cost);
  // [/optimize]

  // [marginals]
  ceres::Covariance marginals{ceres::Covariance::Options()};
  std::vector<std::pair<const double*, const double*>> blocks;
  for (const Pose2& pose : x) blocks.push_back({pose.data(), pose.data()});
  if (!marginals.Compute(blocks, &graph)) return 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double c[9];
    marginals.GetCovarianceBlock(x[i].data(), x[i].data(), c);
    std::printf("x%zu  %6.2f %6.2f %6.2f   sigmas %.2f %.2f %.2f\n", i,
                Rounded(x[i][0]), Rounded(x[i][1]), Rounded(WrapAngle(x[i][2])),
                std::sqrt(c[0]), std::sqrt(c[4]), std::sqrt(c[8]));
  }
  // [/marginals]
}
