// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Fits y = exp(m x + c) to samples of which two are wildly wrong. The squared
// loss is pulled away by them; Cauchy's loss is hardly moved.
//
// Prints: Squared loss m: 0.254409 c: 0.254349
// Prints: Cauchy loss  m: 0.294819 c: 0.125285

#include <cmath>
#include <iostream>

#include "ceres/ceres.h"
#include "curve_fitting.h"
#include "curve_fitting_data.h"

namespace {

using ceres::examples::ExponentialResidual;
using ceres::examples::Sample;

constexpr Sample kOutliers[] = {{1.2, 6.5}, {4.4, 0.4}};

enum class Loss { kSquared, kCauchy };

struct Fit {
  double m = 0.0;
  double c = 0.0;
  bool usable = false;
};

void AddSample(const Sample& sample, Loss loss, Fit* fit,
               ceres::Problem* problem) {
  // Residuals beyond the scale of the loss, 0.5, count ever less.
  problem->AddResidualBlock(
      new ceres::AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>(
          new ExponentialResidual(sample.x, sample.y)),
      loss == Loss::kCauchy ? new ceres::CauchyLoss(0.5) : nullptr, &fit->m,
      &fit->c);
}

Fit FitCurve(Loss loss) {
  Fit fit;
  ceres::Problem problem;
  for (const Sample& sample : ceres::examples::kCurveSamples) {
    AddSample(sample, loss, &fit, &problem);
  }
  for (const Sample& sample : kOutliers)
    AddSample(sample, loss, &fit, &problem);

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::cout << summary.BriefReport() << "\n\n";
  fit.usable = summary.IsSolutionUsable();
  return fit;
}

void Print(const char* name, const Fit& fit) {
  std::cout << name << " m: " << fit.m << " c: " << fit.c << "\n";
}

}  // namespace

int main() {
  const Fit squared = FitCurve(Loss::kSquared);
  const Fit robust = FitCurve(Loss::kCauchy);
  Print("True        ", {0.3, 0.1, true});
  Print("Squared loss", squared);
  Print("Cauchy loss ", robust);
  return squared.usable && robust.usable ? 0 : 1;
}
