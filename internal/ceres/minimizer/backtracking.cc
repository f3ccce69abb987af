// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/backtracking.h"

#include <algorithm>
#include <cmath>

#include "ceres/base/stopwatch.h"

namespace ceres::internal {
namespace {

// Minimizer of the parabola with f(0), f'(0) and the sample; Nocedal and
// Wright, (3.58).
double MinimizeQuadratic(const LineSample& start, const LineSample& s) {
  const double excess = s.value - start.value - start.slope * s.step_size;
  return -start.slope * s.step_size * s.step_size / (2.0 * excess);
}

// Minimizer of the cubic a t^3 + b t^2 + slope t + f0 through two samples;
// Nocedal and Wright, page 58. NaN when there is none.
double MinimizeCubic(const LineSample& start, const LineSample& s0,
                     const LineSample& s1) {
  const double t0 = s0.step_size;
  const double t1 = s1.step_size;
  const double e0 = (s0.value - start.value - start.slope * t0) / (t0 * t0);
  const double e1 = (s1.value - start.value - start.slope * t1) / (t1 * t1);
  const double a = (e1 - e0) / (t1 - t0);
  const double b = (e0 * t1 - e1 * t0) / (t1 - t0);
  if (a == 0.0) {
    return -start.slope / (2.0 * b);
  }
  return (-b + std::sqrt(b * b - 3.0 * a * start.slope)) / (3.0 * a);
}

}  // namespace

LineSearchResult Backtrack(const MinimizerOptions& options,
                           const StepSizes& sizes, const LineSample& start,
                           const std::function<bool(LineSample*)>& f) {
  LineSearchResult result;
  if (!(start.slope < 0.0)) {
    return result;
  }
  const LineSearchInterpolationType interpolation =
      options.line_search_interpolation_type;
  LineSample previous;
  bool has_previous = false;
  double step_size = sizes.initial;
  while (true) {
    LineSample current = {step_size, 0.0, start.slope};
    ++result.num_evaluations;
    result.last_step_size = step_size;
    const bool valid = f(&current);
    if (valid &&
        current.value <=
            start.value + options.line_search_sufficient_function_decrease *
                              current.slope * step_size) {
      result.success = true;
      result.step_size = step_size;
      return result;
    }
    if (result.num_iterations ==
        options.max_num_line_search_step_size_iterations) {
      return result;
    }
    double next = 0.5 * step_size;
    if (valid && interpolation != BISECTION) {
      const Stopwatch stopwatch;
      next = has_previous && interpolation == CUBIC
                 ? MinimizeCubic(start, previous, current)
                 : MinimizeQuadratic(start, current);
      if (!std::isfinite(next)) {
        next = 0.5 * step_size;
      }
      result.interpolation_seconds += stopwatch.Seconds();
    }
    next = std::min(
        std::max(next, options.max_line_search_step_contraction * step_size),
        options.min_line_search_step_contraction * step_size);
    if (next < sizes.shortest) {
      return result;
    }
    ++result.num_iterations;
    has_previous = valid;
    previous = current;
    step_size = next;
  }
}

}  // namespace ceres::internal
