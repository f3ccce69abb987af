// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Fits the curve y = exp(m x + c) to noisy samples of exp(0.3 x + 0.1): one
// residual block for each sample, all of the same two parameter blocks.
//
// Prints: Fitted .*67 samples.* exp.0.295232 x . 0.123594.

#include "curve_fitting.h"

#include <iostream>

#include "ceres/ceres.h"
#include "curve_fitting_data.h"

namespace {

using ceres::examples::ExponentialResidual;
using ceres::examples::kCurveSamples;
using ceres::examples::kNumCurveSamples;

using Cost = ceres::AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>;

}  // namespace

int main() {
  double m = 0.0;
  double c = 0.0;
  ceres::Problem problem;
  for (const auto& [x, y] : kCurveSamples) {
    problem.AddResidualBlock(new Cost(new ExponentialResidual(x, y)), nullptr,
                             &m, &c);
  }

  // Many residuals and few parameters: a dense factorization is enough.
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n"
            << "Fitted to " << kNumCurveSamples << " samples: y = exp(" << m
            << " x + " << c << ")\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
