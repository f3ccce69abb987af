// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_INTERPOLATION_H_
#define CERES_INTERNAL_MINIMIZER_INTERPOLATION_H_

#include "ceres/types.h"

namespace ceres::internal {

// Value and slope of a function of one variable at a step size.
struct LineSample {
  double step_size = 0.0;
  double value = 0.0;
  double slope = 0.0;
};

// Returns the local minimizer of an interpolant through two samples at
// different step sizes:
//
//   BISECTION  the midpoint
//   QUADRATIC  parabola through the value and slope of `a` and the value of `b`
//   CUBIC      cubic through the values and slopes of `a` and `b`
//
// Returns NaN or an infinite value if the interpolant has no local minimizer.
//
// J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., (3.59).
double MinimizeInterpolant(LineSearchInterpolationType type,
                           const LineSample& a, const LineSample& b);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_INTERPOLATION_H_
