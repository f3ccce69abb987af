// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/chi_square.h"

#include <cmath>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// The density of the chi-square distribution, integrated by Simpson's rule
// from s to where it is negligible.
double IntegratedTail(double s, int n) {
  const auto density = [n](double t) {
    return std::exp((0.5 * n - 1.0) * std::log(t) - 0.5 * t -
                    0.5 * n * std::log(2.0) - std::lgamma(0.5 * n));
  };
  constexpr int kNumIntervals = 20000;
  const double h = 200.0 / kNumIntervals;
  double sum = 0.0;
  for (int i = 0; i < kNumIntervals; i += 2) {
    sum += density(s + i * h) + 4.0 * density(s + (i + 1) * h) +
           density(s + (i + 2) * h);
  }
  return sum * h / 3.0;
}

TEST(ChiSquare, UpperTailHasClosedFormsForOneAndTwoDegrees) {
  for (const double s : {0.0, 1e-6, 0.3, 1.0, 7.5, 60.0}) {
    EXPECT_NEAR(ChiSquareUpperTail(s, 1), std::erfc(std::sqrt(0.5 * s)), 1e-15);
    EXPECT_NEAR(ChiSquareUpperTail(s, 2), std::exp(-0.5 * s), 1e-15);
  }
}

TEST(ChiSquare, UpperTailIsTheIntegralOfTheDensity) {
  for (const int n : {3, 4, 5, 6, 9, 12}) {
    for (const double s : {0.7, 3.0, 11.0, 25.0}) {
      EXPECT_NEAR(ChiSquareUpperTail(s, n), IntegratedTail(s, n), 1e-9)
          << n << " " << s;
    }
  }
}

// From tables.
TEST(ChiSquare, QuantilesAreThoseOfTables) {
  EXPECT_NEAR(ChiSquareQuantile(0.95, 1), 3.841459, 1e-6);
  EXPECT_NEAR(ChiSquareQuantile(0.99, 3), 11.344867, 1e-6);
  EXPECT_NEAR(ChiSquareQuantile(0.99, 6), 16.811894, 1e-6);
  EXPECT_NEAR(ChiSquareQuantile(0.5, 10), 9.341818, 1e-6);
}

TEST(ChiSquare, QuantileInvertsTheTailForManyDegreesAndSmallTails) {
  for (const int n : {1, 2, 7, 100, 1001, 5000}) {
    for (const double p : {1e-6, 0.01, 0.5, 0.99, 1.0 - 1e-9}) {
      const double s = ChiSquareQuantile(p, n);
      EXPECT_NEAR(ChiSquareUpperTail(s, n) / (1.0 - p), 1.0, 1e-9)
          << n << " " << p;
    }
  }
}

}  // namespace
}  // namespace ceres::internal
