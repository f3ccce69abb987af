// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "difference_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vesta::python {
namespace {

double RelativeStep(const DifferenceRule& rule, DifferenceScheme scheme,
                    double precision, Eigen::Index j) {
  if (rule.relative.size() == 1) return rule.relative[0];
  if (rule.relative.size() > 1) return rule.relative[j];
  return scheme == DifferenceScheme::kCentral ? std::cbrt(precision)
                                              : std::sqrt(precision);
}

// The step that is taken if x + h is rounded.
double Represented(double x, double h) {
  const volatile double moved = x + h;
  return moved - x;
}

}  // namespace

DifferenceStep StepOf(const DifferenceRule& rule, DifferenceScheme scheme,
                      double precision, Eigen::Index j, double x) {
  const double size = x != 0.0                ? std::abs(x)
                      : rule.sizes.size() > 0 ? rule.sizes[j]
                                              : 1.0;
  double h = std::abs(RelativeStep(rule, scheme, precision, j)) * size;
  // A step that x + h cannot represent is replaced by one that it can.
  if (x + h == x) {
    h = std::max(std::sqrt(std::numeric_limits<double>::epsilon()) * size,
                 std::numeric_limits<double>::min());
  }
  if (scheme == DifferenceScheme::kComplex) return {h, false};
  h = std::abs(Represented(x, x >= 0.0 ? h : -h));
  const double below = x - rule.lower[j];
  const double above = rule.upper[j] - x;
  const double room = above >= below ? above : -below;
  if (scheme == DifferenceScheme::kForward) {
    const double ahead = x >= 0.0 ? above : below;
    const double behind = x >= 0.0 ? below : above;
    const double sign = x >= 0.0 ? 1.0 : -1.0;
    if (h <= ahead) return {sign * h, false};
    if (h <= behind) return {-sign * h, false};
    return {room, false};
  }
  if (h <= above && h <= below) return {h, true};
  if (2.0 * h <= above) return {h, false};
  if (2.0 * h <= below) return {-h, false};
  return {0.5 * room, false};
}

DifferenceSearch::DifferenceSearch(const DifferenceRule& rule, double precision,
                                   Eigen::Index j, double x)
    : precision_(precision),
      h_(StepOf(rule, DifferenceScheme::kForward, precision, j, x).h) {
  const double size = rule.sizes.size() > 0 ? rule.sizes[j] : 1.0;
  const double room = h_ > 0.0 ? rule.upper[j] - x : x - rule.lower[j];
  limit_ = rule.relative.size() > 0
               ? 0.0
               : std::min(std::sqrt(precision) * size, room);
}

bool DifferenceSearch::IsLargeEnough(double change, double value) {
  // Rounding may be this part of the change, or twice that of the best step.
  const double allowed = std::max(1e-3, 2.0 * std::sqrt(precision_));
  const bool is_first = previous_ == 0.0;
  if (!std::isfinite(change)) {
    if (is_first) return true;
    // Back to the last step that worked, which is the last one to be tried.
    h_ = std::exchange(previous_, 0.0);
    limit_ = 0.0;
    return false;
  }
  if (std::abs(h_) >= limit_) return true;
  if (change > 0.0 && change * allowed >= precision_ * value) return true;
  previous_ = h_;
  h_ = std::copysign(std::min(std::abs(h_) * growth_, limit_), h_);
  growth_ *= growth_;
  return false;
}

}  // namespace vesta::python
