// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/fill_limit.h"

#include <algorithm>
#include <vector>

#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A chain of 100 numbers, whose steps are certain, and 60 closures between far
// parts of it.
class FillLimitTest : public testing::Test {
 protected:
  FillLimitTest() : x_(100) {
    for (int i = 0; i + 1 < 100; ++i) Add(i, i + 1);
    for (int i = 0; i < 60; ++i) {
      uncertain_.push_back(Add((17 * i) % 50, 50 + (29 * i) % 50));
    }
  }
  ResidualBlockId Add(int a, int b) {
    return problem_.AddResidualBlock(
        NewCost<1, 1, 1>(
            [](const auto* p, const auto* q, auto* r) { r[0] = q[0] - p[0]; }),
        nullptr, &x_[a], &x_[b]);
  }
  FillLimit Limit(double num_operations) {
    return FillLimit(*problem_.mutable_impl(), uncertain_, num_operations);
  }
  // Weights below 1/2 without an order.
  static std::vector<double> SmallWeights() {
    std::vector<double> weights;
    for (int i = 0; i < 60; ++i) {
      weights.push_back(0.4 * ((37 * i) % 60 + 1) / 60.0);
    }
    return weights;
  }

  std::vector<double> x_;
  Problem problem_;
  std::vector<ResidualBlock*> uncertain_;
};

TEST_F(FillLimitTest, LeavesNothingOutBelowTheLimit) {
  FillLimit limit = Limit(1e9);
  std::vector<double> weights = SmallWeights();
  EXPECT_EQ(limit.Apply(&weights), 0);
  EXPECT_EQ(weights, SmallWeights());
}

TEST_F(FillLimitTest, LeavesOutTheSmallestWeights) {
  constexpr double kLimit = 2000.0;
  FillLimit limit = Limit(kLimit);
  const std::vector<double> all = SmallWeights();
  ASSERT_GT(limit.NumOperations(all), kLimit);
  std::vector<double> weights = all;
  const int num_left_out = limit.Apply(&weights);
  EXPECT_GT(num_left_out, 0);
  EXPECT_LT(num_left_out, 60);
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0), num_left_out);
  EXPECT_LE(limit.NumOperations(weights), kLimit);
  EXPECT_GT(limit.NumOperations(weights), 0.5 * kLimit);
  double largest_left_out = 0.0;
  double smallest = 1.0;
  for (int i = 0; i < 60; ++i) {
    if (weights[i] == 0.0) {
      largest_left_out = std::max(largest_left_out, all[i]);
    } else {
      EXPECT_EQ(weights[i], all[i]);
      smallest = std::min(smallest, all[i]);
    }
  }
  EXPECT_LT(largest_left_out, smallest);
}

TEST_F(FillLimitTest, DoesNotDependOnTheRoundBefore) {
  // Up to the precision of the search, a tenth.
  FillLimit fresh = Limit(2000.0);
  std::vector<double> weights = SmallWeights();
  const int expected = fresh.Apply(&weights);
  FillLimit used = Limit(2000.0);
  std::vector<double> one(60, 0.0);
  one[7] = 0.3;
  EXPECT_EQ(used.Apply(&one), 0);
  weights = SmallWeights();
  EXPECT_NEAR(used.Apply(&weights), expected, 6);
}

TEST_F(FillLimitTest, NeverLeavesOutLargeWeights) {
  FillLimit limit = Limit(1.0);
  std::vector<double> weights = SmallWeights();
  for (int i = 0; i < 30; ++i) weights[2 * i] = 0.5 + 0.01 * i;
  limit.Apply(&weights);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(weights[2 * i], 0.5 + 0.01 * i) << i;
}

TEST_F(FillLimitTest, AutomaticLimitGrowsWithTheProblem) {
  // 100 + 99 + 60 scalars of J'J take less than a thousand operations each.
  FillLimit limit = Limit(0.0);
  std::vector<double> weights = SmallWeights();
  ASSERT_LT(limit.NumOperations(weights), 259e3);
  EXPECT_EQ(limit.Apply(&weights), 0);
}

}  // namespace
}  // namespace ceres::internal
