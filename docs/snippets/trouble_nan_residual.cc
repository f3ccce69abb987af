// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A residual that is NaN at the start, and its cure.

#include <cmath>
#include <cstdio>

#include "ceres/ceres.h"
#include "outcome.h"

// [cost]
// y = a sqrt(t - b)
struct Root {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::sqrt;
    residual[0] = y - a[0] * sqrt(t - b[0]);
    return true;
  }
  double t, y;
};
// [/cost]

// [solve]
// Measurements of a = 2, b = 1.
const double kTime[] = {2, 3, 4, 5, 6, 7};
const double kValue[] = {2.01, 2.82, 3.47, 4.0, 4.48, 4.89};

void Solve(double a, double b, bool with_bound) {
  using Cost = ceres::AutoDiffCostFunction<Root, 1, 1, 1>;
  ceres::Problem problem;
  for (int i = 0; i < 6; ++i) {
    problem.AddResidualBlock(new Cost(new Root{kTime[i], kValue[i]}), nullptr,
                             &a, &b);
  }
  if (with_bound) problem.SetParameterUpperBound(&b, 0, 1.9);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  PrintOutcome(summary);
  std::printf("a = %.2f, b = %.2f\n\n", a, b);
}
// [/solve]

int main() {
  std::printf("Start at b = 4: t - b is negative for two measurements\n");
  Solve(1.0, 4.0, false);
  std::printf("Start at b = 0, with the bound b <= 1.9\n");
  Solve(1.0, 0.0, true);
}
