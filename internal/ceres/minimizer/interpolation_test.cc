// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/interpolation.h"

#include <cmath>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// 2 (t - 3)^2 + 1
LineSample Parabola(double t) {
  return {t, 2.0 * (t - 3.0) * (t - 3.0) + 1.0, 4.0 * (t - 3.0)};
}

// t^3 - 3 t: maximum at -1, minimum at 1.
LineSample Cubic(double t) {
  return {t, t * t * t - 3.0 * t, 3.0 * t * t - 3.0};
}

TEST(MinimizeInterpolant, BisectionIsTheMiddle) {
  EXPECT_EQ(MinimizeInterpolant(BISECTION, Parabola(1.0), Parabola(2.0)), 1.5);
  EXPECT_EQ(MinimizeInterpolant(BISECTION, Parabola(2.0), Parabola(1.0)), 1.5);
}

TEST(MinimizeInterpolant, QuadraticIsExactForParabolas) {
  EXPECT_NEAR(MinimizeInterpolant(QUADRATIC, Parabola(1.0), Parabola(2.0)), 3.0,
              1e-14);
  EXPECT_NEAR(MinimizeInterpolant(QUADRATIC, Parabola(5.0), Parabola(0.5)), 3.0,
              1e-14);
}

TEST(MinimizeInterpolant, CubicIsExactForCubicsInBothDirections) {
  for (const double a : {-0.9, 0.0, 0.5, 1.5}) {
    for (const double b : {-0.5, 0.7, 2.0}) {
      EXPECT_NEAR(MinimizeInterpolant(CUBIC, Cubic(a), Cubic(b)), 1.0, 1e-12)
          << a << " " << b;
    }
  }
}

TEST(MinimizeInterpolant, CubicIsExactForParabolas) {
  EXPECT_NEAR(MinimizeInterpolant(CUBIC, Parabola(0.0), Parabola(1.0)), 3.0,
              1e-12);
}

TEST(MinimizeInterpolant, NothingWithoutAMinimum) {
  // A line, a parabola that opens downwards, t^3 + t.
  EXPECT_FALSE(std::isfinite(
      MinimizeInterpolant(QUADRATIC, {0.0, 1.0, -1.0}, {1.0, 0.0, -1.0})));
  EXPECT_FALSE(std::isfinite(
      MinimizeInterpolant(QUADRATIC, {0.0, 0.0, -1.0}, {1.0, -2.0, -3.0})));
  EXPECT_FALSE(std::isfinite(
      MinimizeInterpolant(CUBIC, {0.0, 0.0, 1.0}, {1.0, 2.0, 4.0})));
}

}  // namespace
}  // namespace ceres::internal
