// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Minimises 1/2 (f1^2 + f2^2 + f3^2 + f4^2), the terms of Powell's singular
// function in powell.h, from (3, -1, 0, 1). The minimum is 0 at the origin,
// where the Jacobian is singular, so convergence is linear.
//
// Prints: Termination: *CONVERGENCE

#include "powell.h"

#include <iostream>

#include "ceres/ceres.h"
#include "gflags/gflags.h"
#include "glog/logging.h"

DEFINE_string(minimizer, "trust_region", "trust_region or line_search.");

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  gflags::ParseCommandLineFlags(&argc, &argv, true);

  double x1 = 3.0;
  double x2 = -1.0;
  double x3 = 0.0;
  double x4 = 1.0;
  ceres::Problem problem;
  ceres::examples::AddPowellTerms(&x1, &x2, &x3, &x4, &problem);

  ceres::Solver::Options options;
  if (!ceres::StringToMinimizerType(FLAGS_minimizer, &options.minimizer_type)) {
    std::cerr << "--minimizer=" << FLAGS_minimizer
              << " is neither trust_region nor line_search.\n";
    return 1;
  }
  options.max_num_iterations = 100;
  options.linear_solver_type = ceres::DENSE_QR;
  options.minimizer_progress_to_stdout = true;

  std::cout << "Initial x1 = " << x1 << ", x2 = " << x2 << ", x3 = " << x3
            << ", x4 = " << x4 << "\n";
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::cout << summary.FullReport() << "\n";
  std::cout << "Final x1 = " << x1 << ", x2 = " << x2 << ", x3 = " << x3
            << ", x4 = " << x4 << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
