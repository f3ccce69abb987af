// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_
#define CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_

#include <functional>

#include "ceres/types.h"

namespace ceres::internal {

// Options of a backtracking line search. The search finds a step size a that
// satisfies Armijo's rule of sufficient decrease,
//
//   f(a) <= f(0) + c1 a f'(0),        c1 = sufficient_decrease,
//
// starting at a = initial_step_size. If a fails, the next step size minimizes
// an interpolant:
//
//   BISECTION  a / 2
//   QUADRATIC  parabola through f(0), f'(0), f(a)
//   CUBIC      cubic through f(0), f'(0) and the last two f(a); at the first
//              failure the parabola
//
// and is clamped to [max_contraction a, min_contraction a].
//
// J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., section 3.5.
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
  double step_size = 0.0;   // satisfies the rule
  int num_iterations = 0;   // step sizes tried after the first
  int num_evaluations = 0;  // of f
  double interpolation_seconds = 0.0;
};

// f(a, &value) writes f(a). It returns false if it cannot be evaluated at a;
// the search then halves the step size. f0 = f(0), slope = f'(0). Fails unless
// slope < 0. After a success, the last call of f was at the step size of the
// result.
BacktrackingResult Backtrack(const BacktrackingOptions& options, double f0,
                             double slope,
                             const std::function<bool(double, double*)>& f);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_
