// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Minimizes a smooth function that is not given as a sum of squares: a
// GradientProblem and its line search. The function is Rosenbrock's
//
//   f(u, v) = (1 - u)^2 + 100 (v - u^2)^2
//
// (H. H. Rosenbrock, "An automatic method for finding the greatest or least
// value of a function", 1960), a curved valley with the minimum 0 at (1, 1).
// Its gradient is automatic.
//
// Prints: f.-1.2, 1. = 24.2
// Prints: f.1, 1. =

#include <iostream>

#include "ceres/ceres.h"

namespace {

struct Valley {
  template <typename T>
  bool operator()(const T* point, T* f) const {
    const T ahead = 1.0 - point[0];
    const T aside = point[1] - point[0] * point[0];
    *f = ahead * ahead + 100.0 * aside * aside;
    return true;
  }
};

void Print(const double* point, double f) {
  std::cout << "f(" << point[0] << ", " << point[1] << ") = " << f << "\n";
}

}  // namespace

int main() {
  // The problem deletes the function. Its second argument is the number of
  // coordinates of a point.
  const ceres::GradientProblem problem(
      new ceres::AutoDiffFirstOrderFunction<Valley, 2>(new Valley));

  double point[] = {-1.2, 1.0};
  const double start[] = {point[0], point[1]};
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(ceres::GradientProblemSolver::Options(), problem, point,
               &summary);

  std::cout << summary.FullReport() << "\n";
  Print(start, summary.initial_cost);
  Print(point, summary.final_cost);
  return summary.IsSolutionUsable() ? 0 : 1;
}
