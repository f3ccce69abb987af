// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Bundle adjustment in a few lines: reads a BAL file, solves it with dense
// Schur elimination whose ordering the solver finds, prints the report.

#include <iostream>
#include <string>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "snavely_reprojection_error.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "Usage: simple_bundle_adjuster BAL_FILE\n";
    return 1;
  }
  ceres::examples::BalProblem bal;
  std::string error;
  if (!ceres::examples::ReadBal(argv[1], &bal, &error)) {
    std::cerr << error << "\n";
    return 1;
  }

  // One residual block per observation, on one camera and one point.
  ceres::Problem problem;
  for (int i = 0; i < bal.num_observations(); ++i) {
    const double* pixel = &bal.observations[2 * static_cast<size_t>(i)];
    problem.AddResidualBlock(
        ceres::examples::SnavelyReprojectionError::Create(pixel[0], pixel[1]),
        nullptr, bal.camera(bal.camera_index[i]),
        bal.point(bal.point_index[i]));
  }

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::cout << summary.FullReport() << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
