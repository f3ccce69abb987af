// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A user's program: fits y = exp(m x + c) to points that lie on the curve.

#include <ceres/ceres.h>

#include <cmath>
#include <iostream>

namespace {

struct ExponentialResidual {
  ExponentialResidual(double x, double y) : x(x), y(y) {}

  template <typename T>
  bool operator()(const T* m, const T* c, T* residual) const {
    residual[0] = y - exp(m[0] * x + c[0]);
    return true;
  }

  double x;
  double y;
};

}  // namespace

int main() {
  constexpr double kM = 0.3;
  constexpr double kC = 0.1;
  double m = 0.0;
  double c = 0.0;
  ceres::Problem problem;
  for (int i = 0; i < 40; ++i) {
    const double x = 0.1 * i;
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>(
            new ExponentialResidual(x, std::exp(kM * x + kC))),
        nullptr, &m, &c);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.num_threads = 2;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::cout << summary.BriefReport() << "\n" << m << " " << c << "\n";
  const bool found = std::abs(m - kM) < 1e-6 && std::abs(c - kC) < 1e-6;
  return summary.IsSolutionUsable() && found ? 0 : 1;
}
