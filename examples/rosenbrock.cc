// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Rosenbrock's function (H. H. Rosenbrock, "An automatic method for finding the
// greatest or least value of a function", 1960),
//
//   f(x, y) = (1 - x)^2 + 100 (y - x^2)^2,
//
// is a sum of squares, but is minimised here as any smooth function is: with a
// GradientProblem and a line search. The minimum is 0 at (1, 1).
//
// Prints: Final   x: 1 y: 1 cost

#include <iostream>

#include "ceres/ceres.h"
#include "glog/logging.h"

namespace {

struct Rosenbrock {
  template <typename T>
  bool operator()(const T* parameters, T* cost) const {
    const T x = parameters[0];
    const T y = parameters[1];
    const T to_valley = y - x * x;
    cost[0] = (1.0 - x) * (1.0 - x) + 100.0 * to_valley * to_valley;
    return true;
  }
};

}  // namespace

int main(int /*argc*/, char** argv) {
  google::InitGoogleLogging(argv[0]);

  double parameters[2] = {-1.2, 1.0};

  // The problem owns the function. Two is the number of parameters.
  const ceres::GradientProblem problem(
      new ceres::AutoDiffFirstOrderFunction<Rosenbrock, 2>(new Rosenbrock));
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
