// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/two_dimensional_model.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "ceres/constants.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

double Model(const Eigen::Matrix2d& b, const Eigen::Vector2d& g,
             const Eigen::Vector2d& y) {
  return 0.5 * y.dot(b * y) + g.dot(y);
}

// The least value on a fine polar grid of the disk.
double LeastOnGrid(const Eigen::Matrix2d& b, const Eigen::Vector2d& g,
                   double radius) {
  constexpr int kAngles = 2000;
  constexpr int kRadii = 50;
  double least = 0.0;
  for (int i = 0; i < kAngles; ++i) {
    const double angle = 2.0 * constants::pi * i / kAngles;
    for (int k = 1; k <= kRadii; ++k) {
      const double r = radius * k / kRadii;
      least = std::min(least,
                       Model(b, g, {r * std::cos(angle), r * std::sin(angle)}));
    }
  }
  return least;
}

TEST(MinimizeInDisk, InteriorMinimumIsTheNewtonPoint) {
  Eigen::Matrix2d b;
  b << 4.0, 1.0, 1.0, 3.0;
  const Eigen::Vector2d g(1.0, 2.0);
  const Eigen::Vector2d y = MinimizeInDisk(b, g, 10.0);
  EXPECT_LT((b * y + g).norm(), 1e-14);
}

TEST(MinimizeInDisk, LinearModelGoesToTheRimAgainstTheGradient) {
  const Eigen::Vector2d y =
      MinimizeInDisk(Eigen::Matrix2d::Zero(), Eigen::Vector2d(3.0, 4.0), 2.0);
  EXPECT_NEAR(y[0], -1.2, 1e-14);
  EXPECT_NEAR(y[1], -1.6, 1e-14);
}

TEST(MinimizeInDisk, ZeroGradientStaysAtTheCentre) {
  Eigen::Matrix2d b;
  b << 1.0, 0.0, 0.0, 0.0;
  EXPECT_EQ(MinimizeInDisk(b, Eigen::Vector2d::Zero(), 1.0).norm(), 0.0);
}

// On the rim (B + m I) y = -g with m >= 0 characterizes the global minimum
// (More and Sorensen, lemma 2.1 and 2.3).
TEST(MinimizeInDisk, SatisfiesTheConditionsOfAGlobalMinimum) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    Eigen::Matrix2d root;
    root << normal(random), normal(random), normal(random), normal(random);
    // Up to a condition number of 1e12, and singular ones.
    root.row(1) *= trial % 10 == 0 ? 0.0 : std::pow(10.0, -(trial % 7));
    const Eigen::Matrix2d b = root.transpose() * root;
    const Eigen::Vector2d g(normal(random), normal(random));
    const double radius = std::pow(10.0, trial % 5 - 3);
    const Eigen::Vector2d y = MinimizeInDisk(b, g, radius);
    EXPECT_LE(y.norm(), radius * (1.0 + 1e-12));
    EXPECT_LE(Model(b, g, y), LeastOnGrid(b, g, radius) + 1e-12);
    if (y.norm() < radius * (1.0 - 1e-9)) continue;
    const Eigen::Vector2d force = -(b * y + g);
    const double multiplier = force.dot(y) / y.squaredNorm();
    EXPECT_GE(multiplier, -1e-9);
    EXPECT_LT((force - multiplier * y).norm(), 1e-8 * g.norm()) << trial;
  }
}

}  // namespace
}  // namespace ceres::internal
