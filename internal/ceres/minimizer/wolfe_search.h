// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_WOLFE_SEARCH_H_
#define CERES_INTERNAL_MINIMIZER_WOLFE_SEARCH_H_

#include <functional>

#include "ceres/minimizer/interpolation.h"
#include "ceres/types.h"

namespace ceres::internal {

// A line search for the strong Wolfe conditions,
//
//   f(a)    <= f(0) + c1 a f'(0)      sufficient decrease
//   |f'(a)| <= c2 |f'(0)|             curvature
//
// Nocedal and Wright, Numerical Optimization, 2nd ed., algorithms 3.5 (bracket
// a minimum, growing the step at most max_expansion-fold) and 3.6 (shrink the
// bracket by interpolation).
struct WolfeOptions {
  LineSearchInterpolationType interpolation = CUBIC;
  double initial_step_size = 1.0;
  double sufficient_decrease = 1e-4;           // c1
  double sufficient_curvature_decrease = 0.9;  // c2
  double max_expansion = 10.0;
  double min_step_size = 1e-9;  // of the bracket, too
  int max_num_iterations = 20;  // evaluations of f
};

struct WolfeResult {
  // Sufficient decrease holds at step_size > 0. Where the iterations or the
  // bracket end before the curvature condition is met, the best such point is
  // the result.
  bool success = false;
  bool satisfies_curvature = false;
  double step_size = 0.0;
  int num_iterations = 0;
  int num_evaluations = 0;
  double last_step_size = 0.0;  // of the last call of f
  double interpolation_seconds = 0.0;
};

// f fills value and slope at a step size, and returns false where it cannot;
// such a step counts as too long. start: f at 0, with a negative slope, else no
// success.
WolfeResult SearchWolfe(const WolfeOptions& options, const LineSample& start,
                        const std::function<bool(LineSample*)>& f);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_WOLFE_SEARCH_H_
