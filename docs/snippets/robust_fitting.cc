// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fits a line to samples of which a quarter is wrong, with three losses.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [residual]
struct LineError {
  template <typename T>
  bool operator()(const T* line, T* residual) const {
    residual[0] = (y - (line[0] + line[1] * x)) / sigma;
    return true;
  }

  double x, y, sigma;
};
// [/residual]

// [fit]
// Fits {offset, slope}, which hold the initial guess. Takes the loss.
void Fit(const std::vector<LineError>& samples, ceres::LossFunction* loss,
         double* line) {
  ceres::Problem problem;
  for (const LineError& sample : samples) {
    // All residual blocks share the loss. The problem deletes it once.
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<LineError, 1, 2>(new LineError(sample)),
        loss, line);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 200;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
}
// [/fit]

// [scale]
// 1.48 times the median of |r|: the standard deviation of the residuals, if
// most of them are normally distributed and the rest is wrong.
double RobustSigma(const std::vector<LineError>& samples, const double* line) {
  std::vector<double> sizes;
  for (const LineError& sample : samples) {
    double residual;
    sample(line, &residual);
    sizes.push_back(std::abs(residual));
  }
  std::sort(sizes.begin(), sizes.end());
  return 1.4826 * sizes[sizes.size() / 2];
}
// [/scale]

}  // namespace

int main() {
  // [data]
  const double sigma = 0.3;
  Noise noise;
  std::vector<LineError> samples;
  for (int i = 0; i < 48; ++i) {
    const double x = 0.2 * i;
    double y = 2.0 + 0.5 * x + noise.Normal(sigma);
    if (i % 4 == 3) y += 1.0 + 0.6 * x;  // Wrong, and all on one side.
    samples.push_back({x, y, sigma});
  }
  // [/data]

  // [solve]
  double squared[2] = {0.0, 0.0};
  Fit(samples, nullptr, squared);
  double huber[2] = {0.0, 0.0};
  Fit(samples, new ceres::HuberLoss(1.0), huber);
  double cauchy[2] = {huber[0], huber[1]};  // Not convex: a good start helps.
  Fit(samples, new ceres::CauchyLoss(1.0), cauchy);
  // [/solve]

  std::printf("loss     offset  slope  robust sigma of residuals\n");
  std::printf("true      %5.2f  %5.2f\n", 2.0, 0.5);
  std::printf("squared   %5.2f  %5.2f  %5.2f\n", squared[0], squared[1],
              RobustSigma(samples, squared));
  std::printf("Huber     %5.2f  %5.2f  %5.2f\n", huber[0], huber[1],
              RobustSigma(samples, huber));
  std::printf("Cauchy    %5.2f  %5.2f  %5.2f\n", cauchy[0], cauchy[1],
              RobustSigma(samples, cauchy));

  // [outliers]
  std::printf("   x     y  weight with CauchyLoss\n");
  const ceres::CauchyLoss loss(1.0);
  for (const LineError& sample : samples) {
    double residual, rho[3];
    sample(cauchy, &residual);
    loss.Evaluate(residual * residual, rho);
    std::printf("%4.1f %5.2f  %4.2f\n", sample.x, sample.y, rho[1]);
  }
  // [/outliers]
}
