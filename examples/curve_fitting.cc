// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Fits the curve y = exp(m x + c) to noisy samples of exp(0.3 x + 0.1): one
// residual block for each sample, all of the same two parameter blocks.
//
//   curve_fitting [--report=report.html]
//
// Prints: Fitted .*67 samples.* exp.0.295232 x . 0.123594.

#include "curve_fitting.h"

#include <cmath>
#include <iostream>

#include "ceres/ceres.h"
#include "ceres/html_report.h"
#include "curve_fitting_data.h"
#include "gflags/gflags.h"
#include "report_flags.h"

namespace {

using ceres::examples::ExponentialResidual;
using ceres::examples::kCurveSamples;
using ceres::examples::kNumCurveSamples;

using Cost = ceres::AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>;

// The samples as points, the curve as a line of poses without orientation.
ceres::ReportScene MakeScene(double m, double c) {
  ceres::ReportScene scene;
  for (const auto& [x, y] : kCurveSamples) {
    const int place = static_cast<int>(scene.poses.size());
    scene.points.push_back({x, y, 0.0});
    scene.poses.push_back({{x, std::exp(m * x + c), 0.0}, {}});
    if (place > 0) scene.edges.push_back({place - 1, place});
  }
  return scene;
}

}  // namespace

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
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
  ceres::HtmlReport::Options report_options;
  report_options.title = "Curve fit";
  report_options.parameter_block_name = [&m](const double* block) {
    return block == &m ? "m" : "c";
  };
  report_options.scene = [&m, &c] { return MakeScene(m, c); };
  const bool is_reported = ceres::examples::SolveAndReport(
      options, report_options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n"
            << "Fitted to " << kNumCurveSamples << " samples: y = exp(" << m
            << " x + " << c << ")\n";
  return is_reported && summary.IsSolutionUsable() ? 0 : 1;
}
