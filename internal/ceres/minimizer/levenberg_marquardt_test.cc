// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/levenberg_marquardt.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

std::vector<double> DampingOf(const LevenbergMarquardt& lm,
                              const std::vector<double>& squared_column_norms,
                              const std::vector<double>& column_scale) {
  std::vector<double> damping(column_scale.size());
  lm.ComputeDamping({}, static_cast<int>(damping.size()),
                    squared_column_norms.data(), column_scale.data(),
                    damping.data());
  return damping;
}

TEST(LevenbergMarquardt, DampingIsDiagonalOverRadius) {
  MinimizerOptions options;
  options.initial_trust_region_radius = 100.0;
  LevenbergMarquardt lm(options);
  const std::vector<double> d = DampingOf(lm, {4.0, 25.0}, {1.0, 1.0});
  EXPECT_DOUBLE_EQ(d[0], std::sqrt(4.0 / 100.0));
  EXPECT_DOUBLE_EQ(d[1], std::sqrt(25.0 / 100.0));
}

// The damping of the scaled problem (J S) y, y = S^-1 step, is D S: damping of
// y by D_s is damping of the step by D_s / s.
TEST(LevenbergMarquardt, DampingIsThatOfTheScaledProblem) {
  MinimizerOptions options;
  options.initial_trust_region_radius = 9.0;
  options.min_lm_diagonal = 0.5;
  options.max_lm_diagonal = 2.0;
  LevenbergMarquardt lm(options);
  const std::vector<double> d =
      DampingOf(lm, {16.0, 1.0, 1000.0}, {0.25, 0.5, 0.1});
  // 16 / 16 = 1 is inside; 1 / 4 is raised to 0.5; 10 is lowered to 2.
  EXPECT_DOUBLE_EQ(d[0], std::sqrt(1.0 / 9.0) / 0.25);
  EXPECT_DOUBLE_EQ(d[1], std::sqrt(0.5 / 9.0) / 0.5);
  EXPECT_DOUBLE_EQ(d[2], std::sqrt(2.0 / 9.0) / 0.1);
}

TEST(LevenbergMarquardt, ColumnOfZerosIsDampedByTheMinimum) {
  MinimizerOptions options;
  options.initial_trust_region_radius = 1.0;
  LevenbergMarquardt lm(options);
  EXPECT_DOUBLE_EQ(DampingOf(lm, {0.0}, {1.0})[0], std::sqrt(1e-6));
}

// radius / max(1/3, 1 - (2 q - 1)^3): Madsen, Nielsen and Tingleff, (2.21).
TEST(LevenbergMarquardt, GoodStepsWidenTheRegionUpToThreefold) {
  MinimizerOptions options;
  options.initial_trust_region_radius = 10.0;
  options.max_trust_region_radius = 80.0;
  LevenbergMarquardt lm(options);
  lm.Accept(0.5);
  EXPECT_DOUBLE_EQ(lm.radius(), 10.0);
  lm.Accept(0.25);
  EXPECT_DOUBLE_EQ(lm.radius(), 10.0 / 1.125);
  lm.Accept(1.0);
  EXPECT_DOUBLE_EQ(lm.radius(), 30.0 / 1.125);
  lm.Accept(1.0);
  lm.Accept(1.0);
  EXPECT_DOUBLE_EQ(lm.radius(), 80.0) << "no wider than max_radius";
}

TEST(LevenbergMarquardt, RejectionsShrinkTheRegionFasterAndFaster) {
  MinimizerOptions options;
  options.initial_trust_region_radius = 64.0;
  LevenbergMarquardt lm(options);
  lm.Reject();
  EXPECT_DOUBLE_EQ(lm.radius(), 32.0);
  lm.Reject();
  EXPECT_DOUBLE_EQ(lm.radius(), 8.0);
  lm.Reject();
  EXPECT_DOUBLE_EQ(lm.radius(), 1.0);
  lm.Accept(0.5);
  lm.Reject();
  EXPECT_DOUBLE_EQ(lm.radius(), 0.5) << "an accepted step starts anew";
}

TEST(LevenbergMarquardt, DampingFollowsTheRadius) {
  MinimizerOptions options;
  options.initial_trust_region_radius = 4.0;
  LevenbergMarquardt lm(options);
  EXPECT_DOUBLE_EQ(DampingOf(lm, {1.0}, {1.0})[0], 0.5);
  lm.Reject();
  EXPECT_DOUBLE_EQ(DampingOf(lm, {1.0}, {1.0})[0], std::sqrt(0.5));
}

}  // namespace
}  // namespace ceres::internal
