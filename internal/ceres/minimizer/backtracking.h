// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_
#define CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_

#include <functional>

#include "ceres/minimizer/interpolation.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// The step sizes of a line search. The other parameters of a line search are
// the fields line_search_..., ..._line_search_... of MinimizerOptions.
struct StepSizes {
  double initial = 1.0;
  double shortest = 1e-9;
};

struct LineSearchResult {
  // Whether sufficient decrease holds at step_size > 0.
  bool success = false;
  bool satisfies_curvature = false;  // by SearchWolfe
  double step_size = 0.0;
  int num_iterations = 0;       // step sizes tried after the first
  int num_evaluations = 0;      // of f
  double last_step_size = 0.0;  // at the last call of f
  double interpolation_seconds = 0.0;
};

// A backtracking line search for a step size a that satisfies Armijo's rule of
// sufficient decrease,
//
//   f(a) <= f(0) + c1 a f'(0),  c1 = line_search_sufficient_function_decrease,
//
// starting at a = sizes.initial. If a fails, the next step size minimizes an
// interpolant:
//
//   BISECTION  a / 2
//   QUADRATIC  parabola through f(0), f'(0), f(a)
//   CUBIC      cubic through f(0), f'(0) and the last two f(a); at the first
//              failure the parabola
//
// and is clamped to a times max_line_search_step_contraction and
// min_line_search_step_contraction.
//
// f(&sample) reads sample.step_size and writes sample.value. It may replace
// sample.slope, which is f'(0), by the slope that the rule is to count at this
// step size: along a path that bends. It returns false if it cannot be
// evaluated at a; the search then halves the step size. start: f at 0. Fails
// unless the slope at 0 is negative. After a success, the last call of f was at
// the step size of the result.
//
// J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., section 3.5.
LineSearchResult Backtrack(const MinimizerOptions& options,
                           const StepSizes& sizes, const LineSample& start,
                           const std::function<bool(LineSample*)>& f);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_BACKTRACKING_H_
