// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINE_SEARCH_WOLFE_SEARCH_H_
#define CERES_INTERNAL_MINIMIZER_LINE_SEARCH_WOLFE_SEARCH_H_

#include <functional>

#include "ceres/minimizer/backtracking.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// A line search for the strong Wolfe conditions,
//
//   f(a)    <= f(0) + c1 a f'(0)   c1 =
//   line_search_sufficient_function_decrease |f'(a)| <= c2 |f'(0)|          c2
//   = ..._sufficient_curvature_decrease
//
// The search brackets a minimum, growing the step size at most by the factor
// max_line_search_step_expansion (algorithm 3.5), then shrinks the bracket by
// interpolation (algorithm 3.6), to the length sizes.shortest at most. f is
// evaluated at most max_num_line_search_step_size_iterations times. If the
// search ends before it finds a step size that satisfies both conditions, the
// result is the best step size with sufficient decrease.
//
// f writes the value and the slope at a step size. It returns false if it
// cannot be evaluated there; the search then tries shorter steps. start: f at
// 0. Fails unless the slope at 0 is negative.
//
// J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., section 3.5.
LineSearchResult SearchWolfe(const MinimizerOptions& options,
                             const StepSizes& sizes, const LineSample& start,
                             const std::function<bool(LineSample*)>& f);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINE_SEARCH_WOLFE_SEARCH_H_
