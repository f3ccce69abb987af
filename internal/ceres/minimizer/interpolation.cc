// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/interpolation.h"

#include <cmath>
#include <limits>

namespace ceres::internal {
namespace {

double MinimizeQuadratic(const LineSample& a, const LineSample& b) {
  const double t = b.step_size - a.step_size;
  const double excess = b.value - a.value - a.slope * t;
  // A parabola that opens downwards has no minimum.
  return excess > 0.0 ? a.step_size - a.slope * t * t / (2.0 * excess)
                      : std::numeric_limits<double>::quiet_NaN();
}

double MinimizeCubic(const LineSample& a, const LineSample& b) {
  const double t = b.step_size - a.step_size;
  const double d1 = a.slope + b.slope - 3.0 * (b.value - a.value) / t;
  // NaN without a minimum.
  const double d2 = std::copysign(std::sqrt(d1 * d1 - a.slope * b.slope), t);
  return b.step_size - t * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
}

}  // namespace

double MinimizeInterpolant(LineSearchInterpolationType type,
                           const LineSample& a, const LineSample& b) {
  switch (type) {
    case BISECTION:
      break;
    case QUADRATIC:
      return MinimizeQuadratic(a, b);
    case CUBIC:
      return MinimizeCubic(a, b);
  }
  return a.step_size + 0.5 * (b.step_size - a.step_size);
}

}  // namespace ceres::internal
