// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_WOLFE_SEARCH_H_
#define CERES_INTERNAL_MINIMIZER_WOLFE_SEARCH_H_

#include <functional>

#include "ceres/minimizer/interpolation.h"
#include "ceres/types.h"

namespace ceres::internal {

// Options of a line search for the strong Wolfe conditions,
//
//   f(a)    <= f(0) + c1 a f'(0)      sufficient decrease
//   |f'(a)| <= c2 |f'(0)|             curvature
//
// The search brackets a minimum, growing the step size at most by the factor
// max_expansion (algorithm 3.5), then shrinks the bracket by interpolation
// (algorithm 3.6).
//
// J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., section 3.5.
struct WolfeOptions {
  LineSearchInterpolationType interpolation = CUBIC;
  double initial_step_size = 1.0;
  double sufficient_decrease = 1e-4;           // c1
  double sufficient_curvature_decrease = 0.9;  // c2
  double max_expansion = 10.0;
  double min_step_size = 1e-9;  // also the minimal length of the bracket
  int max_num_iterations = 20;  // evaluations of f
};

struct WolfeResult {
  // Whether sufficient decrease holds at step_size > 0. If the search ends
  // before it finds a step size that satisfies both conditions, the result is
  // the best step size with sufficient decrease.
  bool success = false;
  bool satisfies_curvature = false;
  double step_size = 0.0;
  int num_iterations = 0;
  int num_evaluations = 0;
  double last_step_size = 0.0;  // at the last call of f
  double interpolation_seconds = 0.0;
};

// f writes the value and the slope at a step size. It returns false if it
// cannot be evaluated there; the search then tries shorter steps. start: f at
// 0. Fails unless the slope at 0 is negative.
WolfeResult SearchWolfe(const WolfeOptions& options, const LineSample& start,
                        const std::function<bool(LineSample*)>& f);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_WOLFE_SEARCH_H_
