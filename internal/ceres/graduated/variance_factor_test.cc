// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/variance_factor.h"

#include <algorithm>
#include <vector>

#include "ceres/graduated/chi_square.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// The quantiles of the chi-square distribution at equal distances, times a
// factor: a sample without randomness.
std::vector<double> Sample(int size, int num_degrees, double factor) {
  std::vector<double> sample;
  for (int i = 0; i < size; ++i) {
    sample.push_back(factor *
                     ChiSquareQuantile((i + 1.0) / (size + 1.0), num_degrees));
  }
  return sample;
}

TEST(VarianceFactor, IsThatOfNormalErrors) {
  for (const int n : {1, 3, 6}) {
    for (const double factor : {1e-4, 0.3, 1.0, 7.0}) {
      EXPECT_NEAR(EstimateVarianceFactor(Sample(2000, n, factor),
                                         std::vector<int>(2000, n)),
                  factor, 0.01 * factor)
          << n;
    }
  }
}

TEST(VarianceFactor, ComparesEachBlockWithItsOwnDistribution) {
  std::vector<double> statistics = Sample(1000, 2, 0.04);
  const std::vector<double> of_six = Sample(1000, 6, 0.04);
  statistics.insert(statistics.end(), of_six.begin(), of_six.end());
  std::vector<int> num_residuals(2000, 6);
  std::fill_n(num_residuals.begin(), 1000, 2);
  EXPECT_NEAR(EstimateVarianceFactor(statistics, num_residuals), 0.04, 4e-4);
}

TEST(VarianceFactor, OutliersOfLessThanAHundredthRaiseItLittle) {
  std::vector<double> statistics = Sample(2000, 3, 0.02);
  for (int i = 0; i < 10; ++i) statistics.push_back(1000.0 + i);
  const double factor =
      EstimateVarianceFactor(statistics, std::vector<int>(2010, 3));
  EXPECT_GE(factor, 0.02);
  EXPECT_LE(factor, 0.025);
}

TEST(VarianceFactor, BoundsHeavyTails) {
  // Every twentieth error has ten times the standard deviation.
  std::vector<double> statistics = Sample(1900, 3, 1.0);
  for (const double t : Sample(100, 3, 100.0)) statistics.push_back(t);
  const double factor =
      EstimateVarianceFactor(statistics, std::vector<int>(2000, 3));
  int num_beyond = 0;
  for (const double t : statistics) {
    if (t > factor * ChiSquareQuantile(0.99, 3)) ++num_beyond;
  }
  EXPECT_EQ(num_beyond, 20);
}

TEST(VarianceFactor, IsNotThatOfRoundingErrors) {
  EXPECT_EQ(
      EstimateVarianceFactor(Sample(500, 3, 1e-20), std::vector<int>(500, 3)),
      1e-4);
}

TEST(VarianceFactor, NeedsAHundredBlocksThatAreDetermined) {
  std::vector<double> statistics = Sample(100, 3, 0.02);
  std::vector<int> num_residuals(110, 3);
  statistics.resize(110, 0.0);
  EXPECT_LT(EstimateVarianceFactor(statistics, num_residuals), 0.03);
  statistics[50] = 0.0;
  EXPECT_EQ(EstimateVarianceFactor(statistics, num_residuals), 1.0);
}

}  // namespace
}  // namespace ceres::internal
