// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Finds the delay between the clocks of two sensors that measure the same
// motion: a gyroscope at 100 Hz, and a camera at 20 Hz.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/cubic_interpolation.h"
#include "noise.h"

namespace {

using Signal = ceres::CubicInterpolator<ceres::Grid1D<double>>;

// [cost]
// A sample of the slow sensor is compared with the interpolated signal of the
// fast one, at a time that depends on the offset. Parameters: offset in
// seconds, constant bias of the fast sensor.
struct RateError {
  template <typename T>
  bool operator()(const T* offset, const T* bias, T* residual) const {
    T fast_rate;
    signal->Evaluate((time + offset[0]) * sampling_rate, &fast_rate);
    residual[0] = (fast_rate - bias[0] - rate) / sigma;
    return true;
  }

  const Signal* signal;
  double sampling_rate;  // Hz.
  double time, rate, sigma;
};
// [/cost]

// Turning rate of the device, rad/s.
double TrueRate(double t) {
  return 0.8 * std::sin(2.0 * t) + 0.3 * std::sin(7.0 * t + 1.0);
}

}  // namespace

int main() {
  const double true_offset = 0.037, true_bias = 0.05, sigma = 0.03;
  Noise noise;
  std::vector<double> fast;
  for (int i = 0; i < 1000; ++i) {
    const double time_of_camera = i / 100.0 - true_offset;
    fast.push_back(TrueRate(time_of_camera) + true_bias + noise.Normal(0.01));
  }

  // [solve]
  const ceres::Grid1D<double> grid(fast.data(), 0,
                                   static_cast<int>(fast.size()));
  const Signal signal(grid);
  using Cost = ceres::AutoDiffCostFunction<RateError, 1, 1, 1>;
  double offset = 0.0, bias = 0.0;
  ceres::Problem problem;
  for (int i = 10; i < 180; ++i) {
    const double time = i / 20.0;
    const double rate = TrueRate(time) + noise.Normal(sigma);
    problem.AddResidualBlock(
        new Cost(new RateError{&signal, 100.0, time, rate, sigma}), nullptr,
        &offset, &bias);
  }
  problem.SetParameterLowerBound(&offset, 0, -0.2);
  problem.SetParameterUpperBound(&offset, 0, 0.2);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/solve]

  ceres::Covariance covariance(ceres::Covariance::Options{});
  double variance_of_offset, variance_of_bias;
  if (!covariance.Compute({{&offset, &offset}, {&bias, &bias}}, &problem)) {
    return 1;
  }
  covariance.GetCovarianceBlock(&offset, &offset, &variance_of_offset);
  covariance.GetCovarianceBlock(&bias, &bias, &variance_of_bias);
  std::printf("offset %6.2f +- %.2f ms     (true: %.2f)\n", 1e3 * offset,
              1e3 * std::sqrt(variance_of_offset), 1e3 * true_offset);
  std::printf("bias   %6.3f +- %.3f rad/s (true: %.3f)\n", bias,
              std::sqrt(variance_of_bias), true_bias);

  // The cost as a function of the offset, with the estimated bias.
  std::printf("offset in ms   cost\n");
  for (int i = -8; i <= 8; ++i) {
    const double best = offset;
    offset = 0.025 * i;
    double cost;
    problem.Evaluate(ceres::Problem::EvaluateOptions(), &cost, nullptr, nullptr,
                     nullptr);
    std::printf("%12.0f %8.0f\n", 1e3 * offset, cost);
    offset = best;
  }
}
