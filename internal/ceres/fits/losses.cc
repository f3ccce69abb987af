// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fit_many.h"

namespace ceres {

std::function<Traced(const Traced&)> FitLoss::Huber(double a) {
  return [a](const Traced& s) {
    // The root of a^2 where it is not used has a finite derivative.
    const TracedCondition is_inlier = s <= a * a;
    const Traced outlier = Select(is_inlier, a * a, s);
    return Select(is_inlier, s, 2.0 * a * sqrt(outlier) - a * a);
  };
}

std::function<Traced(const Traced&)> FitLoss::SoftLOne(double a) {
  return [a](const Traced& s) {
    // 2 a^2 (sqrt(1 + s / a^2) - 1) without cancellation.
    return 2.0 * s / (1.0 + sqrt(1.0 + s / (a * a)));
  };
}

std::function<Traced(const Traced&)> FitLoss::Cauchy(double a) {
  return [a](const Traced& s) { return a * a * log1p(s / (a * a)); };
}

std::function<Traced(const Traced&)> FitLoss::Arctan(double a) {
  return [a](const Traced& s) { return a * a * atan(s / (a * a)); };
}

std::function<Traced(const Traced&)> FitLoss::Tukey(double a) {
  return [a](const Traced& s) {
    const Traced rest = fmax(1.0 - s / (a * a), 0.0);
    return a * a / 3.0 * (1.0 - rest * rest * rest);
  };
}

}  // namespace ceres
