// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// TinySolver with the template parameters of Ceres 2.3.

// [solve]
#define VESTA_TINY_SOLVER_2_3  // Or target_compile_definitions in CMake.

#include "ceres/tiny_solver.h"

// [/solve]
#include <cstdio>

// [function]
// Residuals x0 - 1 and 3 x1 - 6.
struct Line {
  using Scalar = double;
  enum { NUM_RESIDUALS = Eigen::Dynamic, NUM_PARAMETERS = Eigen::Dynamic };
  int NumResiduals() const { return 2; }
  int NumParameters() const { return 2; }

  bool operator()(const double* x, double* residuals, double* jacobian) const {
    residuals[0] = x[0] - 1.0;
    residuals[1] = 3.0 * x[1] - 6.0;
    if (jacobian != nullptr) {  // Column-major.
      jacobian[0] = 1.0;
      jacobian[1] = jacobian[2] = 0.0;
      jacobian[3] = 3.0;
    }
    return true;
  }
};
// [/function]

int main() {
  // [use]
  ceres::TinySolver<Line, 8, 4> solver;  // At most 8 residuals, 4 parameters.
  // [/use]
  decltype(solver)::ParameterVector x(2);
  x << 3.0, -4.0;
  solver.Solve(Line(), &x);
  std::printf("x = %.3f %.3f\n", x[0], x[1]);
}
