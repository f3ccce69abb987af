// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// helloworld with a cost functor that knows only doubles: its derivatives are
// central differences.
//
// Prints: x : 0.5 -> 10

#include <iostream>

#include "ceres/ceres.h"
#include "glog/logging.h"

namespace {

struct DistanceToTen {
  bool operator()(const double* x, double* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

}  // namespace

int main(int /*argc*/, char** argv) {
  google::InitGoogleLogging(argv[0]);

  double x = 0.5;
  const double initial_x = x;

  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::NumericDiffCostFunction<DistanceToTen, ceres::CENTRAL, 1, 1>(
          new DistanceToTen),
      nullptr, &x);

  ceres::Solver::Options options;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "x : " << initial_x << " -> " << x << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
