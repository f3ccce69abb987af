// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/chi_square.h"

#include <cmath>

namespace ceres::internal {

double ChiSquareUpperTail(double s, int num_degrees) {
  const double x = 0.5 * s;
  if (x <= 0.0) return 1.0;
  const bool is_odd = num_degrees % 2 != 0;
  // Terms are powers of e: e^-x underflows where the sum does not.
  constexpr double kLogGammaOfThreeHalves = -0.12078223763524522;
  double power = is_odd ? 0.5 : 0.0;
  double log_term =
      power * std::log(x) - x - (is_odd ? kLogGammaOfThreeHalves : 0.0);
  double tail = is_odd ? std::erfc(std::sqrt(x)) : 0.0;
  for (int j = 0; j < num_degrees / 2; ++j) {
    tail += std::exp(log_term);
    power += 1.0;
    log_term += std::log(x / power);
  }
  return tail;
}

double ChiSquareQuantile(double probability, int num_degrees) {
  const double tail = 1.0 - probability;
  double low = 0.0;
  double high = num_degrees;
  while (ChiSquareUpperTail(high, num_degrees) > tail) {
    low = high;
    high *= 2.0;
  }
  // Bisection down to neighbouring numbers, or to the smallest ones.
  for (;;) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) return high;
    (ChiSquareUpperTail(middle, num_degrees) > tail ? low : high) = middle;
  }
}

}  // namespace ceres::internal
