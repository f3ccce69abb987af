// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// rosenbrock with the gradient by hand: a FirstOrderFunction of one's own.
//
// Prints: minimum at 1, 1

#include <iostream>

#include "ceres/ceres.h"

namespace {

// f(u, v) = p^2 + 100 q^2 with p = 1 - u, q = v - u^2.
class Valley final : public ceres::FirstOrderFunction {
 public:
  int NumParameters() const override { return 2; }

  // A line search asks for values without gradients, too.
  bool Evaluate(const double* point, double* f,
                double* gradient) const override {
    const double u = point[0];
    const double p = 1.0 - u;
    const double q = point[1] - u * u;
    *f = p * p + 100.0 * q * q;
    if (gradient == nullptr) return true;
    // df = 2 p dp + 200 q dq, with dp = -du, dq = dv - 2 u du.
    const double by_q = 200.0 * q;
    gradient[1] = by_q;
    gradient[0] = -2.0 * (p + by_q * u);
    return true;
  }
};

}  // namespace

int main() {
  const ceres::GradientProblem problem(new Valley);
  double point[] = {-1.2, 1.0};
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve({}, problem, point, &summary);
  std::cout << summary.BriefReport() << "\n"
            << "minimum at " << point[0] << ", " << point[1] << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
