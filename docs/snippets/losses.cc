// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Estimates one number from values of which two are wrong, with losses of
// several scales.

#include <cstdio>

#include "ceres/ceres.h"

namespace {

struct Difference {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = x[0] - value;
    return true;
  }

  double value;
};

constexpr double kValues[] = {9.2,  9.5,  9.8,  9.9,  10.0, 10.1,
                              10.3, 10.4, 10.8, 16.0, 17.0};

// [estimate]
double Estimate(ceres::LossFunction* loss) {
  double x = 10.1;  // The median.
  ceres::Problem problem;
  for (const double value : kValues) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Difference, 1, 1>(
                                 new Difference{value}),
                             loss, &x);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 200;
  options.function_tolerance = 1e-12;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return x;
}
// [/estimate]

// [wrapper]
// Solves with a wide loss, then with a narrow one, and so depends less on the
// start.
double WideThenNarrow() {
  double x = 17.0;  // A poor start.
  // The problem deletes the wrapper, and the wrapper its loss.
  auto* const loss = new ceres::LossFunctionWrapper(new ceres::TukeyLoss(16.0),
                                                    ceres::TAKE_OWNERSHIP);
  ceres::Problem problem;
  for (const double value : kValues) {
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Difference, 1, 1>(
                                 new Difference{value}),
                             loss, &x);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  for (const double scale : {16.0, 8.0, 4.0, 2.0}) {
    loss->Reset(new ceres::TukeyLoss(scale), ceres::TAKE_OWNERSHIP);
    ceres::Solve(options, &problem, &summary);
  }
  return x;
}
// [/wrapper]

}  // namespace

int main() {
  std::printf("mean of the good values %6.2f\n", 10.0);
  std::printf("mean of all values      %6.2f\n", Estimate(nullptr));
  std::printf("wide, then narrow       %6.2f\n", WideThenNarrow());
  std::printf("scale   Huber  SoftLOne  Cauchy  Arctan   Tukey\n");
  for (double a = 0.5; a <= 16.0; a *= 2.0) {
    std::printf("%5.1f  %6.2f    %6.2f  %6.2f  %6.2f  %6.2f\n", a,
                Estimate(new ceres::HuberLoss(a)),
                Estimate(new ceres::SoftLOneLoss(a)),
                Estimate(new ceres::CauchyLoss(a)),
                Estimate(new ceres::ArctanLoss(a * a)),
                Estimate(new ceres::TukeyLoss(a)));
  }
}
