// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves a BAL file as examples/simple_bundle_adjuster.cc does. Prints the CPU
// seconds of the solve, the final cost and the number of iterations: the
// counterpart in C++ of the Python program in compare.py.

#include <cstdio>
#include <ctime>
#include <string>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "snavely_reprojection_error.h"

int main(int argc, char** argv) {
  ceres::examples::BalProblem bal;
  std::string error = "usage: bundle_adjustment BAL_FILE";
  if (argc != 2 || !ceres::examples::ReadBal(argv[1], &bal, &error)) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
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
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  const std::clock_t start = std::clock();
  ceres::Solve(options, &problem, &summary);
  const double seconds =
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%.6f %.15g %d\n", seconds, summary.final_cost,
              static_cast<int>(summary.iterations.size()) - 1);
  return summary.IsSolutionUsable() ? 0 : 1;
}
