// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_
#define CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_

#include <functional>

#include "ceres/types.h"

namespace ceres::internal {

// A backtracking line search for Armijo's rule of sufficient decrease,
//
//   f(a) <= f(0) + c1 a f'(0),
//
// starting at a = initial_step_size. The next step size minimizes an
// interpolant of what is known of f (Nocedal and Wright, Numerical
// Optimization, 2nd ed., section 3.5): BISECTION a / 2; QUADRATIC through f(0),
// f'(0), f(a); CUBIC through f(0), f'(0) and the last two f(a), the quadratic
// on the first try. It is kept within [max_contraction a, min_contraction a].
struct BacktrackingOptions {
  LineSearchInterpolationType interpolation = CUBIC;
  double initial_step_size = 1.0;
  double sufficient_decrease = 1e-4;
  double max_contraction = 1e-3;
  double min_contraction = 0.6;
  double min_step_size = 1e-9;
  int max_num_iterations = 20;
};

struct BacktrackingResult {
  bool success = false;
  double step_size = 0.0;   // a that satisfies the rule
  int num_iterations = 0;   // step sizes tried after the first
  int num_evaluations = 0;  // of f
  double interpolation_seconds = 0.0;
};

// f returns false where it cannot be evaluated: the step size is then halved.
// slope = f'(0) must be negative, else no success. After a success, the last
// call of f was with the step size of the result.
BacktrackingResult Backtrack(const BacktrackingOptions& options, double f0,
                             double slope,
                             const std::function<bool(double, double*)>& f);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_
