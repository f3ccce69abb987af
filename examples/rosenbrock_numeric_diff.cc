// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// rosenbrock for a function that only yields values: its gradient is made of
// central differences, two evaluations for each coordinate.
//
// Prints: minimum at 1, 1
// Prints: evaluations of f

#include <iostream>

#include "ceres/ceres.h"

namespace {

struct Valley {
  bool operator()(const double* point, double* f) const {
    const double p = 1.0 - point[0];
    const double q = point[1] - point[0] * point[0];
    *f = p * p + 100.0 * q * q;
    ++*num_evaluations;
    return true;
  }

  int* num_evaluations;
};

using Function =
    ceres::NumericDiffFirstOrderFunction<Valley, ceres::CENTRAL, 2>;

}  // namespace

int main() {
  int num_evaluations = 0;
  const ceres::GradientProblem problem(
      new Function(new Valley{&num_evaluations}));
  double point[] = {-1.2, 1.0};
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve({}, problem, point, &summary);
  std::cout << summary.BriefReport() << "\n"
            << "minimum at " << point[0] << ", " << point[1] << " after "
            << num_evaluations << " evaluations of f\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
