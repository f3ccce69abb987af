// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// helloworld with a cost function that computes its derivative itself.
//
// Prints: x : 0.5 -> 10

#include <iostream>

#include "ceres/ceres.h"
#include "glog/logging.h"

namespace {

// One residual, one parameter block of size one.
class DistanceToTen final : public ceres::SizedCostFunction<1, 1> {
 public:
  // parameters[i] is the i-th block, jacobians[i] the derivative by it,
  // row-major. jacobians is null when only residuals are wanted, jacobians[i]
  // when block i is constant.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double x = parameters[0][0];
    residuals[0] = 10.0 - x;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = -1.0;
    }
    return true;
  }
};

}  // namespace

int main(int /*argc*/, char** argv) {
  google::InitGoogleLogging(argv[0]);

  double x = 0.5;
  const double initial_x = x;

  ceres::Problem problem;
  problem.AddResidualBlock(new DistanceToTen, nullptr, &x);

  ceres::Solver::Options options;
  options.minimizer_progress_to_stdout = true;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "x : " << initial_x << " -> " << x << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
