// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Fits the curve y = exp(m x + c) to noisy samples of exp(0.3 x + 0.1).
//
// Prints: Final   m: 0.295232 c: 0.123594

#include "curve_fitting.h"

#include <iostream>

#include "ceres/ceres.h"
#include "curve_fitting_data.h"
#include "glog/logging.h"

int main(int /*argc*/, char** argv) {
  using ceres::examples::ExponentialResidual;
  using ceres::examples::Sample;
  google::InitGoogleLogging(argv[0]);

  const double initial_m = 0.0;
  const double initial_c = 0.0;
  double m = initial_m;
  double c = initial_c;

  ceres::Problem problem;
  for (const Sample& sample : ceres::examples::kCurveSamples) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>(
            new ExponentialResidual(sample.x, sample.y)),
        nullptr, &m, &c);
  }

  ceres::Solver::Options options;
  options.max_num_iterations = 25;
  options.linear_solver_type = ceres::DENSE_QR;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "Initial m: " << initial_m << " c: " << initial_c << "\n";
  std::cout << "Final   m: " << m << " c: " << c << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
