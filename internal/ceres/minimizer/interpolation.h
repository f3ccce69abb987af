// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_INTERPOLATION_H_
#define CERES_INTERNAL_MINIMIZER_INTERPOLATION_H_

#include "ceres/types.h"

namespace ceres::internal {

// What is known of a function of one variable at a point.
struct LineSample {
  double step_size = 0.0;
  double value = 0.0;
  double slope = 0.0;
};

// The local minimizer of a polynomial through two samples at different points:
//
//   BISECTION  the middle between them
//   QUADRATIC  with the value and slope of `a` and the value of `b`
//   CUBIC      with the values and slopes of both (Nocedal and Wright,
//              Numerical Optimization, 2nd ed., (3.59))
//
// NaN or infinite where the polynomial has none.
double MinimizeInterpolant(LineSearchInterpolationType type,
                           const LineSample& a, const LineSample& b);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_INTERPOLATION_H_
