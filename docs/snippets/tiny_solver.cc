// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves many tiny problems without allocating memory: positions from ranges.

#include "ceres/tiny_solver.h"

#include <cmath>
#include <cstdio>

#include "Eigen/Core"
#include "ceres/tiny_solver_autodiff_function.h"
#include "noise.h"

namespace {

// [functor]
constexpr int kNumBeacons = 4;
constexpr double kBeacons[kNumBeacons][2] = {{0, 0}, {9, 0}, {9, 7}, {0, 7}};

// Measured distances of a position to beacons, in meters.
struct RangeErrors {
  template <typename T>
  bool operator()(const T* position, T* residuals) const {
    using std::sqrt;
    for (int i = 0; i < kNumBeacons; ++i) {
      const T dx = position[0] - kBeacons[i][0];
      const T dy = position[1] - kBeacons[i][1];
      residuals[i] = (sqrt(dx * dx + dy * dy) - ranges[i]) / 0.05;
    }
    return true;
  }

  double ranges[kNumBeacons];
};
// [/functor]

RangeErrors Measure(double x, double y, Noise* noise) {
  RangeErrors errors;
  for (int i = 0; i < kNumBeacons; ++i) {
    errors.ranges[i] = std::hypot(x - kBeacons[i][0], y - kBeacons[i][1]) +
                       noise->Normal(0.05);
  }
  return errors;
}

// [many]
using Function = ceres::TinySolverAutoDiffFunction<RangeErrors, kNumBeacons, 2>;
using Solver = ceres::TinySolver<Function>;

// The mean distance between 1000 positions and those found from their ranges.
double MeanError() {
  Noise noise;
  Solver solver;  // One for all problems of a thread.
  double sum = 0.0;
  const int num_positions = 1000;
  for (int i = 0; i < num_positions; ++i) {
    const Eigen::Vector2d truth(9.0 * noise.Uniform(), 7.0 * noise.Uniform());
    const RangeErrors errors = Measure(truth.x(), truth.y(), &noise);
    const Function function(errors);  // Refers to errors.
    Eigen::Vector2d position(4.5, 3.5);
    solver.Solve(function, &position);
    sum += (position - truth).norm();
  }
  return sum / num_positions;
}
// [/many]

void SolveOne() {
  Noise noise;
  const RangeErrors errors = Measure(2.0, 3.0, &noise);
  // [one]
  const Function function(errors);
  Solver solver;
  solver.options.max_num_iterations = 20;
  Solver::Parameters position(4.5, 3.5);
  const Solver::Summary& summary = solver.Solve(function, &position);
  // [/one]
  std::printf("position %.2f %.2f\n", position[0], position[1]);
  std::printf("cost below 10: %s\n", summary.final_cost < 10.0 ? "yes" : "no");

  // [covariance]
  const Solver::JacobianMatrix jacobian = solver.Jacobian();
  const Eigen::Matrix2d covariance =
      (jacobian.transpose() * jacobian).inverse();
  // [/covariance]
  std::printf("standard deviations %.3f %.3f m\n", std::sqrt(covariance(0, 0)),
              std::sqrt(covariance(1, 1)));
}

// [usable]
// Whether a result can be used. There is no FAILURE: look at the costs.
bool IsUsable(const Solver::Summary& summary) {
  return summary.initial_cost >= 0.0 &&  // -1: the start cannot be evaluated.
         std::isfinite(summary.final_cost) &&
         summary.status != Solver::HIT_MAX_ITERATIONS;
}
// [/usable]

void SolveWithoutIterations() {
  Noise noise;
  const RangeErrors errors = Measure(2.0, 3.0, &noise);
  const Function function(errors);
  Solver solver;
  solver.options.max_num_iterations = 1;
  Solver::Parameters position(4.5, 3.5);
  std::printf("usable after 1 iteration: %s\n",
              IsUsable(solver.Solve(function, &position)) ? "yes" : "no");
  solver.options.max_num_iterations = 20;
  std::printf("usable after 20 iterations: %s\n",
              IsUsable(solver.Solve(function, &position)) ? "yes" : "no");
}

}  // namespace

int main() {
  SolveOne();
  SolveWithoutIterations();
  std::printf("mean error of 1000 positions: %.3f m\n", MeanError());
}
