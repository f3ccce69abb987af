// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Smooths the positions of a vehicle that cannot drive faster than its limit.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

using Position = std::array<double, 2>;

constexpr double kStep = 0.5;   // s
constexpr double kLimit = 2.0;  // m/s
constexpr double kSigma = 0.3;  // m

struct PositionError {
  template <typename T>
  bool operator()(const T* p, T* residual) const {
    for (int i = 0; i < 2; ++i) residual[i] = (p[i] - measured[i]) / kSigma;
    return true;
  }
  Position measured;
};

// [cost]
// The change of velocity has the standard deviation 1 m/s.
struct VelocityChange {
  template <typename T>
  bool operator()(const T* before, const T* at, const T* after,
                  T* residual) const {
    for (int i = 0; i < 2; ++i) {
      residual[i] = (after[i] - 2.0 * at[i] + before[i]) / kStep;
    }
    return true;
  }
};

// The square of the speed is smooth where the vehicle stands still.
struct SquaredSpeed {
  template <typename T>
  bool operator()(const T* from, const T* to, T* squared_speed) const {
    const T dx = (to[0] - from[0]) / kStep;
    const T dy = (to[1] - from[1]) / kStep;
    squared_speed[0] = dx * dx + dy * dy;
    return true;
  }
};
// [/cost]

// Along a quarter of a circle, at the limit.
Position Truth(std::size_t k) {
  const double angle = kLimit * kStep * static_cast<double>(k) / 20.0;
  return {20.0 * std::sin(angle), 20.0 * (1.0 - std::cos(angle))};
}

double LargestSpeed(const std::vector<Position>& path) {
  double largest = 0.0;
  for (std::size_t k = 1; k < path.size(); ++k) {
    largest = std::max(largest, std::hypot(path[k][0] - path[k - 1][0],
                                           path[k][1] - path[k - 1][1]) /
                                    kStep);
  }
  return largest;
}

double LargestError(const std::vector<Position>& path) {
  double largest = 0.0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Position truth = Truth(k);
    largest = std::max(
        largest, std::hypot(path[k][0] - truth[0], path[k][1] - truth[1]));
  }
  return largest;
}

void Print(const char* name, const ceres::Solver::Summary& summary,
           const std::vector<Position>& path) {
  std::printf("%-13s %s, largest speed %.3f m/s, largest error %.2f m\n", name,
              ceres::TerminationTypeToString(summary.termination_type),
              LargestSpeed(path), LargestError(path));
}

}  // namespace

int main() {
  Noise noise;
  std::vector<Position> path(32);
  ceres::Problem problem;
  for (std::size_t k = 0; k < path.size(); ++k) {
    path[k] = Truth(k);
    for (double& value : path[k]) value += noise.Normal(kSigma);
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<PositionError, 2, 2>(
            new PositionError{path[k]}),
        nullptr, path[k].data());
  }
  for (std::size_t k = 2; k < path.size(); ++k) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<VelocityChange, 2, 2, 2, 2>(
            new VelocityChange),
        nullptr, path[k - 2].data(), path[k - 1].data(), path[k].data());
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.sparse_linear_algebra_library_type = ceres::NATIVE_SPARSE;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  Print("without limit", summary, path);

  // [limit]
  const double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < path.size(); ++k) {
    problem.AddInequalityConstraint(
        new ceres::AutoDiffCostFunction<SquaredSpeed, 1, 2, 2>(
            new SquaredSpeed),
        {-infinity}, {kLimit * kLimit}, {path[k - 1].data(), path[k].data()});
  }
  ceres::Solve(options, &problem, &summary);
  // [/limit]
  Print("with limit", summary, path);
  std::printf("%d of %d speeds are at the limit\n",
              summary.num_active_constraints, summary.num_constraints);
}
