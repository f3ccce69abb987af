// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// scipy.optimize.curve_fit and least_squares in C++: a decay with an offset.

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [model]
// y = a exp(-b t) + c, at one sample.
struct Decay {
  template <typename T>
  bool operator()(const T* p, T* residual) const {
    using std::exp;
    residual[0] = (p[0] * exp(-p[1] * t) + p[2] - y) / sigma;
    return true;
  }

  double t, y, sigma;
};
// [/model]

// [curve_fit]
// popt, perr = curve_fit(f, t, y, p0, sigma, absolute_sigma, bounds)
struct Fit {
  std::array<double, 3> p;
  std::array<double, 3> error;  // np.sqrt(np.diag(pcov))
  double cost;
};

Fit CurveFit(const std::vector<Decay>& samples, const char* loss,
             bool absolute_sigma) {
  Fit fit = {{1.0, 1.0, 1.0}, {}, 0.0};  // p0
  ceres::Problem problem;
  for (const Decay& sample : samples) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<Decay, 1, 3>(new Decay(sample)),
        loss == nullptr ? nullptr : new ceres::SoftLOneLoss(1.0), fit.p.data());
  }
  problem.SetParameterLowerBound(fit.p.data(), 1, 0.0);

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.function_tolerance = 1e-8;   // ftol
  options.parameter_tolerance = 1e-8;  // xtol
  options.gradient_tolerance = 1e-8;   // gtol
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  fit.cost = summary.final_cost;

  ceres::Covariance covariance{ceres::Covariance::Options()};
  const std::vector<const double*> blocks = {fit.p.data()};
  if (!covariance.Compute(blocks, &problem)) return fit;
  double c[9];
  covariance.GetCovarianceBlock(fit.p.data(), fit.p.data(), c);
  const double degrees = static_cast<double>(samples.size()) - 3.0;
  const double scale = absolute_sigma ? 1.0 : 2.0 * fit.cost / degrees;
  for (int i = 0; i < 3; ++i) fit.error[i] = std::sqrt(scale * c[4 * i]);
  return fit;
}
// [/curve_fit]

}  // namespace

int main() {
  Noise noise;
  std::vector<Decay> samples;
  for (int i = 0; i < 50; ++i) {
    const double t = 0.1 * i;
    const double y = 2.5 * std::exp(-1.3 * t) + 0.5;
    samples.push_back({t, y + noise.Normal(0.1), 0.1});
  }
  const auto print = [](const char* name, const Fit& fit) {
    std::printf("%-24s", name);
    for (int i = 0; i < 3; ++i) {
      std::printf(" %5.2f +- %.2f", fit.p[i], fit.error[i]);
    }
    std::printf("   cost %.1f\n", fit.cost);
  };
  print("absolute_sigma=True", CurveFit(samples, nullptr, true));
  print("absolute_sigma=False", CurveFit(samples, nullptr, false));
  for (int i = 5; i < 50; i += 10) samples[i].y += 3.0;  // Five outliers.
  print("outliers", CurveFit(samples, nullptr, true));
  print("outliers, loss=soft_l1", CurveFit(samples, "soft_l1", true));
}
