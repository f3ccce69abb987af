// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// rosenbrock with a gradient written by hand.
//
// Prints: Final   x: 1 y: 1 cost

#include <iostream>

#include "ceres/ceres.h"
#include "glog/logging.h"

namespace {

// f(x, y) = (1 - x)^2 + 100 (y - x^2)^2.
class Rosenbrock final : public ceres::FirstOrderFunction {
 public:
  // gradient is null when only the cost is wanted.
  bool Evaluate(const double* parameters, double* cost,
                double* gradient) const override {
    const double x = parameters[0];
    const double y = parameters[1];
    const double to_valley = y - x * x;
    cost[0] = (1.0 - x) * (1.0 - x) + 100.0 * to_valley * to_valley;
    if (gradient != nullptr) {
      gradient[0] = -2.0 * (1.0 - x) - 400.0 * x * to_valley;
      gradient[1] = 200.0 * to_valley;
    }
    return true;
  }

  int NumParameters() const override { return 2; }
};

}  // namespace

int main(int /*argc*/, char** argv) {
  google::InitGoogleLogging(argv[0]);

  double parameters[2] = {-1.2, 1.0};

  // The problem owns the function.
  const ceres::GradientProblem problem(new Rosenbrock);
  ceres::GradientProblemSolver::Options options;
  options.minimizer_progress_to_stdout = true;
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(options, problem, parameters, &summary);

  std::cout << summary.FullReport() << "\n";
  std::cout << "Initial x: " << -1.2 << " y: " << 1.0 << "\n";
  std::cout << "Final   x: " << parameters[0] << " y: " << parameters[1]
            << " cost: " << summary.final_cost << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
