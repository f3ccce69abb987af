// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_TESTS_PACKAGE_TWO_LIBRARIES_SIDE_H_
#define CERES_TESTS_PACKAGE_TWO_LIBRARIES_SIDE_H_

// What the program calls of both sides. No header of a Ceres is included here.

#include <array>
#include <string>

struct Fit {
  // exp(curve[0] x + curve[1]) fits points of a curve.
  std::array<double, 2> curve = {0.0, 0.0};
  // Turns two directions into two others.
  std::array<double, 4> quaternion = {1.0, 0.0, 0.0, 0.0};
  double final_cost = 0.0;
  bool has_converged = false;
};

namespace with_vesta {
// Continues the fit for at most max_num_iterations iterations.
void Improve(int max_num_iterations, int num_threads, Fit* fit);
// The files that the dynamic linker found these functions in.
std::string FileOfSolve();
std::string FileOfName();
}  // namespace with_vesta

namespace with_other {
void Improve(int max_num_iterations, int num_threads, Fit* fit);
std::string FileOfSolve();
std::string FileOfName();
}  // namespace with_other

#endif  // CERES_TESTS_PACKAGE_TWO_LIBRARIES_SIDE_H_
