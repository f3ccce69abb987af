// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fits amounts of two substances, which cannot be negative.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"
#include "noise.h"

namespace {

// [residual]
// The absorption of a mixture at one wavelength.
struct AbsorptionError {
  template <typename T>
  bool operator()(const T* amounts, T* residual) const {
    residual[0] = amounts[0] * unit[0] + amounts[1] * unit[1] - measured;
    return true;
  }

  double unit[2];  // Absorption of one unit of each substance.
  double measured;
};
// [/residual]

// [build]
void Build(const std::vector<AbsorptionError>& samples, double* amounts,
           ceres::Problem* problem) {
  for (const AbsorptionError& sample : samples) {
    problem->AddResidualBlock(
        new ceres::AutoDiffCostFunction<AbsorptionError, 1, 2>(
            new AbsorptionError(sample)),
        nullptr, amounts);
  }
}
// [/build]

}  // namespace

int main() {
  Noise noise;
  std::vector<AbsorptionError> samples;
  double h[3] = {0.0, 0.0, 0.0};  // J'J, for the picture.
  for (int i = 0; i < 30; ++i) {
    const double x = 0.1 * i;
    const double a = std::exp(-(x - 1.2) * (x - 1.2));
    const double b = std::exp(-(x - 1.7) * (x - 1.7));
    samples.push_back({{a, b}, 1.0 * a + noise.Normal(0.2)});  // Only a.
    h[0] += a * a;
    h[1] += a * b;
    h[2] += b * b;
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;

  double free[2] = {0.5, 0.5};
  {
    ceres::Problem problem;
    Build(samples, free, &problem);
    ceres::Solve(options, &problem, &summary);
  }
  std::printf("                a       b     cost\n");
  std::printf("true        %5.3f  %6.3f\n", 1.0, 0.0);
  std::printf("no bounds   %5.3f  %6.3f   %6.4f\n", free[0], free[1],
              summary.final_cost);

  // [bounds]
  double amounts[2] = {0.5, 0.5};
  ceres::Problem problem;
  Build(samples, amounts, &problem);
  problem.SetParameterLowerBound(amounts, 0, 0.0);
  problem.SetParameterLowerBound(amounts, 1, 0.0);
  problem.SetParameterUpperBound(amounts, 1, 2.0);
  ceres::Solve(options, &problem, &summary);
  // [/bounds]
  std::printf("bounds      %5.3f  %6.3f   %6.4f\n", amounts[0], amounts[1],
              summary.final_cost);

  // [outside]
  amounts[1] = -1.0;  // The solver begins at the nearest point within bounds.
  ceres::Solve(options, &problem, &summary);
  std::printf("from -1     %5.3f  %6.3f   %6.4f\n", amounts[0], amounts[1],
              summary.final_cost);
  // [/outside]

  // [contradiction]
  problem.SetParameterUpperBound(amounts, 1, -0.5);  // Below the lower bound.
  ceres::Solve(options, &problem, &summary);
  std::printf("%s\n", ceres::TerminationTypeToString(summary.termination_type));
  // [/contradiction]
  const std::size_t begin = summary.message.find("coordinate");
  const std::size_t end = summary.message.find(". ");
  std::printf("%s\n", summary.message.substr(begin, end - begin).c_str());
  std::printf("J'J %.4f %.4f %.4f\n", h[0], h[1], h[2]);
}
