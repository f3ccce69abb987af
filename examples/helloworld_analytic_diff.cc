// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// helloworld where the derivative of the residual is written by hand.
//
// Prints: 0.5 -> 10

#include <iostream>

#include "ceres/ceres.h"

// One residual and one parameter block of size one.
class DistanceToTen final : public ceres::SizedCostFunction<1, 1> {
 public:
  // blocks[i] are the values of parameter block i. derivatives[i], row-major,
  // belongs to that block; it is null if nobody wants it, and `derivatives`
  // itself is null if nobody wants any.
  bool Evaluate(double const* const* blocks, double* residual,
                double** derivatives) const override {
    if (derivatives != nullptr && derivatives[0] != nullptr) {
      derivatives[0][0] = -1.0;
    }
    *residual = 10.0 - blocks[0][0];
    return true;
  }
};

int main() {
  double x = 0.5;
  ceres::Problem problem;
  problem.AddResidualBlock(new DistanceToTen, nullptr, &x);

  std::cout << x;
  ceres::Solver::Summary summary;
  ceres::Solve({}, &problem, &summary);
  std::cout << " -> " << x << "\n" << summary.BriefReport() << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
