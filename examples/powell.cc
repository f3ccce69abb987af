// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Powell's singular function (powell.h) from (3, -1, 0, 1). At the minimum, 0
// at the origin, the Jacobian is singular: each step of Newton's method only
// halves the distance.
//
// Prints: cost 107.5 at x = 3 -1 0 1
// Prints: CONVERGENCE: cost .*e-.* at x =

#include "powell.h"

#include <iostream>

#include "ceres/ceres.h"
#include "gflags/gflags.h"
#include "parse_flag.h"

VESTA_DEFINE_ENUM_FLAG(minimizer, MinimizerType, ::ceres::TRUST_REGION);

namespace {

void Print(double cost, const double* x) {
  std::cout << "cost " << cost << " at x =";
  for (int i = 0; i < 4; ++i) std::cout << " " << x[i];
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 100;
  if (!ceres::examples::ParseFlag("minimizer", FLAGS_minimizer,
                                  ceres::StringToMinimizerType,
                                  &options.minimizer_type)) {
    return 1;
  }

  double x[] = {3.0, -1.0, 0.0, 1.0};
  ceres::Problem problem;
  ceres::examples::AddPowellTerms(&x[0], &x[1], &x[2], &x[3], &problem);
  double cost = 0.0;
  problem.Evaluate({}, &cost, nullptr, nullptr, nullptr);
  Print(cost, x);

  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::cout << summary.FullReport() << "\n"
            << ceres::TerminationTypeToString(summary.termination_type) << ": ";
  Print(summary.final_cost, x);
  return summary.IsSolutionUsable() ? 0 : 1;
}
