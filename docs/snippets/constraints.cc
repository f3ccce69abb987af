// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fits a calibration curve that must not decrease, and whose end is known.

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

struct ReadingError {
  template <typename T>
  bool operator()(const T* y, T* residual) const {
    residual[0] = y[0] - measured;
    return true;
  }
  double measured;
};

// [functions]
struct Rise {
  template <typename T>
  bool operator()(const T* y0, const T* y1, T* rise) const {
    rise[0] = y1[0] - y0[0];
    return true;
  }
};

struct Offset {
  template <typename T>
  bool operator()(const T* y, T* offset) const {
    offset[0] = y[0] - value;
    return true;
  }
  double value;
};
// [/functions]

}  // namespace

int main() {
  Noise noise;
  std::vector<double> curve(8, 0.0);
  ceres::Problem problem;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const double measured = std::sqrt(0.5 * k) + noise.Normal(0.2);
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ReadingError, 1, 1>(
            new ReadingError{measured}),
        nullptr, &curve[k]);
  }

  // [constraints]
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<ceres::ConstraintId> rises;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    rises.push_back(problem.AddInequalityConstraint(
        new ceres::AutoDiffCostFunction<Rise, 1, 1, 1>(new Rise), {0.0},
        {infinity}, {&curve[k - 1], &curve[k]}));
  }
  const ceres::ConstraintId end = problem.AddEqualityConstraint(
      new ceres::AutoDiffCostFunction<Offset, 1, 1>(new Offset{2.0}),
      {&curve.back()});
  problem.SetConstraintName(end, "the end is 2");
  ceres::Solver::Options options;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/constraints]

  std::printf("%s, active: %d of %d\n",
              ceres::TerminationTypeToString(summary.termination_type),
              summary.num_active_constraints, summary.num_constraints);
  std::printf("  k  curve  multiplier of the rise\n");
  for (std::size_t k = 0; k < curve.size(); ++k) {
    std::printf("%3d %6.3f", static_cast<int>(k), curve[k]);
    if (k > 0) {
      // + 0.0 prints no negative zero.
      std::printf("  %6.3f", problem.GetMultipliers(rises[k - 1])[0] + 0.0);
    }
    std::printf("\n");
  }

  // [infeasible]
  const ceres::ConstraintId limit = problem.AddInequalityConstraint(
      new ceres::AutoDiffCostFunction<Offset, 1, 1>(new Offset{0.0}),
      {-infinity}, {1.0}, {&curve.back()});
  problem.SetConstraintName(limit, "at most 1");
  ceres::Solve(options, &problem, &summary);
  std::printf("%s:", ceres::TerminationTypeToString(summary.termination_type));
  for (const std::string& name : summary.violated_constraints) {
    std::printf(" \"%s\"", name.c_str());
  }
  std::printf("\n");
  // [/infeasible]
}
