// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fits the temperature of a body that cools down: three parameters, 40 samples.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [residual]
// The model: T(t) = surrounding + excess exp(-rate t).
// Parameters: {surrounding in C, excess in C, rate in 1/min}.
template <typename T>
T Temperature(double minutes, const T* parameters) {
  return parameters[0] + parameters[1] * exp(-parameters[2] * minutes);
}

struct SampleError {
  template <typename T>
  bool operator()(const T* parameters, T* residual) const {
    residual[0] = (celsius - Temperature(minutes, parameters)) / sigma;
    return true;
  }

  double minutes, celsius;  // The sample.
  double sigma;             // Its standard deviation, in C.
};
// [/residual]

}  // namespace

int main() {
  // [data]
  const double truth[3] = {21.0, 62.0, 0.08};
  const double sigma = 1.5;
  Noise noise;  // docs/snippets/noise.h: the same numbers on every machine.
  std::vector<SampleError> samples;
  for (int i = 0; i < 40; ++i) {
    const double minutes = 1.5 * i;
    samples.push_back(
        {minutes, Temperature(minutes, truth) + noise.Normal(sigma), sigma});
  }
  // [/data]

  // [solve]
  double parameters[3] = {0.0, 100.0, 0.03};
  const double start[3] = {parameters[0], parameters[1], parameters[2]};
  ceres::Problem problem;
  for (const SampleError& sample : samples) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<SampleError, 1, 3>(
                                 new SampleError(sample)),
                             nullptr, parameters);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]
  std::printf("%s: cost %.0f before, %.1f after\n",
              ceres::TerminationTypeToString(summary.termination_type),
              summary.initial_cost, summary.final_cost);

  // [covariance]
  ceres::Covariance covariance(ceres::Covariance::Options{});
  const std::vector<const double*> blocks = {parameters};
  if (!covariance.Compute(blocks, &problem)) return 1;
  double c[9];
  covariance.GetCovarianceBlock(parameters, parameters, c);
  const char* const names[3] = {"surrounding", "excess", "rate"};
  std::printf("              start    fit    +-      true\n");
  for (int i = 0; i < 3; ++i) {
    std::printf("%-11s %7.3f %7.3f %6.3f %7.3f\n", names[i], start[i],
                parameters[i], std::sqrt(c[4 * i]), truth[i]);
  }
  const int degrees_of_freedom = static_cast<int>(samples.size()) - 3;
  std::printf("chi^2 / degrees of freedom: %.2f\n",
              2.0 * summary.final_cost / degrees_of_freedom);
  // [/covariance]

  std::printf("minutes  sample   start     fit\n");
  for (const SampleError& sample : samples) {
    std::printf("%7.1f %7.2f %7.2f %7.2f\n", sample.minutes, sample.celsius,
                Temperature(sample.minutes, start),
                Temperature(sample.minutes, parameters));
  }
}
