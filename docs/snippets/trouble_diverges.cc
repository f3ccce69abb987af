// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A fit that goes to infinity, and two cures.

#include <cmath>
#include <cstdio>

#include "ceres/ceres.h"
#include "outcome.h"

namespace {

// [cost]
// A peak: y = height * exp(-(t - center)^2 / (2 width^2))
struct Peak {
  template <typename T>
  bool operator()(const T* height, const T* center, const T* width,
                  T* residual) const {
    using std::exp;
    const T u = (t - center[0]) / width[0];
    residual[0] = height[0] * exp(-0.5 * u * u) - y;
    return true;
  }
  double t, y;
};
// [/cost]

constexpr int kCount = 21;

double Measurement(int i) {
  const double u = (i - 14.0) / 1.5;
  return 3.0 * std::exp(-0.5 * u * u) + 0.05 * std::sin(7.0 * i);
}

struct Parameters {
  double height, center, width;
};

double Value(const Parameters& p, double t) {
  const double u = (t - p.center) / p.width;
  return p.height * std::exp(-0.5 * u * u);
}

// [solve]
Parameters Solve(Parameters p, bool with_bounds) {
  using Cost = ceres::AutoDiffCostFunction<Peak, 1, 1, 1, 1>;
  ceres::Problem problem;
  for (int i = 0; i < kCount; ++i) {
    problem.AddResidualBlock(new Cost(new Peak{double(i), Measurement(i)}),
                             nullptr, &p.height, &p.center, &p.width);
  }
  if (with_bounds) {
    problem.SetParameterLowerBound(&p.center, 0, 0.0);
    problem.SetParameterUpperBound(&p.center, 0, kCount - 1.0);
    problem.SetParameterLowerBound(&p.width, 0, 0.5);
    problem.SetParameterUpperBound(&p.width, 0, 10.0);
  }
  ceres::Solver::Options options;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  PrintOutcome(summary);
  if (p.center > 100.0) {
    std::printf("the center is far beyond the data\n");
  } else {
    std::printf("height %.2f, center %.2f, width %.2f\n", p.height, p.center,
                p.width);
  }
  return p;
}
// [/solve]

// [start]
// A start from the data: the highest measurement is the center.
Parameters StartFromData() {
  int highest = 0;
  for (int i = 0; i < kCount; ++i) {
    if (Measurement(i) > Measurement(highest)) highest = i;
  }
  return {Measurement(highest), double(highest), 2.0};
}
// [/start]

}  // namespace

int main() {
  std::printf("-- a start of the wrong width\n");
  const Parameters away = Solve({1.0, 5.0, 10.0}, false);
  std::printf("-- the same start, with bounds\n");
  Solve({1.0, 5.0, 10.0}, true);
  std::printf("-- a start from the data, without bounds\n");
  const Parameters good = Solve(StartFromData(), false);

  std::printf("\ncurves: t, measured, first fit, last fit\n");
  for (int i = 0; i < kCount; ++i) {
    std::printf("%2d %5.2f %5.2f %5.2f\n", i, Measurement(i), Value(away, i),
                Value(good, i));
  }
}
