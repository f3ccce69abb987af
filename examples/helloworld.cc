// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The smallest program: find the x that minimises 1/2 (10 - x)^2.
//
// Prints: x : 0.5 -> 10

#include <iostream>

#include "ceres/ceres.h"
#include "glog/logging.h"

namespace {

// A cost functor computes residuals for any scalar type: called with doubles it
// gives values, called with ceres::Jet it gives derivatives too.
struct DistanceToTen {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

}  // namespace

int main(int /*argc*/, char** argv) {
  google::InitGoogleLogging(argv[0]);

  double x = 0.5;
  const double initial_x = x;

  // One residual that depends on one parameter block of size one. The problem
  // owns the cost function, which owns the functor; x stays ours.
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<DistanceToTen, 1, 1>(new DistanceToTen),
      nullptr, &x);

  ceres::Solver::Options options;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "x : " << initial_x << " -> " << x << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
