// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/backtracking.h"

#include <algorithm>
#include <cmath>

#include "ceres/base/stopwatch.h"

namespace ceres::internal {
namespace {

struct Sample {
  double step_size;
  double value;
};

// Minimizer of the parabola with f(0), f'(0) and the sample; Nocedal and
// Wright, (3.58).
double MinimizeQuadratic(double f0, double slope, const Sample& s) {
  const double excess = s.value - f0 - slope * s.step_size;
  return -slope * s.step_size * s.step_size / (2.0 * excess);
}

// Minimizer of the cubic a t^3 + b t^2 + slope t + f0 through two samples;
// Nocedal and Wright, page 58. NaN when there is none.
double MinimizeCubic(double f0, double slope, const Sample& s0,
                     const Sample& s1) {
  const double t0 = s0.step_size;
  const double t1 = s1.step_size;
  const double e0 = (s0.value - f0 - slope * t0) / (t0 * t0);
  const double e1 = (s1.value - f0 - slope * t1) / (t1 * t1);
  const double a = (e1 - e0) / (t1 - t0);
  const double b = (e0 * t1 - e1 * t0) / (t1 - t0);
  if (a == 0.0) {
    return -slope / (2.0 * b);
  }
  return (-b + std::sqrt(b * b - 3.0 * a * slope)) / (3.0 * a);
}

}  // namespace

BacktrackingResult Backtrack(const BacktrackingOptions& options, double f0,
                             double slope,
                             const std::function<bool(double, double*)>& f) {
  BacktrackingResult result;
  if (!(slope < 0.0)) {
    return result;
  }
  Sample previous = {0.0, 0.0};
  bool has_previous = false;
  double step_size = options.initial_step_size;
  while (true) {
    Sample current = {step_size, 0.0};
    ++result.num_evaluations;
    const bool valid = f(step_size, &current.value);
    if (valid &&
        current.value <= f0 + options.sufficient_decrease * slope * step_size) {
      result.success = true;
      result.step_size = step_size;
      return result;
    }
    if (result.num_iterations == options.max_num_iterations) {
      return result;
    }
    double next = 0.5 * step_size;
    if (valid && options.interpolation != BISECTION) {
      const Stopwatch stopwatch;
      next = has_previous && options.interpolation == CUBIC
                 ? MinimizeCubic(f0, slope, previous, current)
                 : MinimizeQuadratic(f0, slope, current);
      if (!std::isfinite(next)) {
        next = 0.5 * step_size;
      }
      result.interpolation_seconds += stopwatch.Seconds();
    }
    next = std::min(std::max(next, options.max_contraction * step_size),
                    options.min_contraction * step_size);
    if (next < options.min_step_size) {
      return result;
    }
    ++result.num_iterations;
    has_previous = valid;
    previous = current;
    step_size = next;
  }
}

}  // namespace ceres::internal
