// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/step_evaluator.h"

#include <limits>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(StepEvaluator, QualityIsActualOverPredictedDecrease) {
  const StepEvaluator evaluator(10.0, 0);
  EXPECT_DOUBLE_EQ(evaluator.Quality(8.0, 4.0), 0.5);
  EXPECT_DOUBLE_EQ(evaluator.Quality(12.0, 4.0), -0.5);
  EXPECT_DOUBLE_EQ(evaluator.Quality(10.0, 4.0), 0.0);
}

TEST(StepEvaluator, PointsThatCouldNotBeEvaluatedAreTheWorst) {
  const StepEvaluator evaluator(10.0, 3);
  constexpr double kWorst = std::numeric_limits<double>::lowest();
  EXPECT_EQ(evaluator.Quality(std::numeric_limits<double>::max(), 1.0), kWorst);
  EXPECT_EQ(evaluator.Quality(std::numeric_limits<double>::infinity(), 1.0),
            kWorst);
  EXPECT_EQ(evaluator.Quality(std::numeric_limits<double>::quiet_NaN(), 1.0),
            kWorst);
}

TEST(StepEvaluator, MonotonicReferenceIsTheCurrentPoint) {
  StepEvaluator evaluator(10.0, 0);
  evaluator.Accept(6.0, 5.0);
  EXPECT_DOUBLE_EQ(evaluator.Quality(5.0, 2.0), 0.5);
  EXPECT_LT(evaluator.Quality(7.0, 2.0), 0.0);
}

// From the reference at 10, two steps of predicted decreases 2 and 3 lead to 9:
// actual 1 of predicted 5, though the last step went up.
TEST(StepEvaluator, NonmonotonicStepsAreJudgedFromTheReference) {
  StepEvaluator evaluator(10.0, 5);
  evaluator.Accept(8.0, 2.0);
  EXPECT_DOUBLE_EQ(evaluator.Quality(9.0, 3.0), (10.0 - 9.0) / (2.0 + 3.0));
  evaluator.Accept(9.0, 3.0);
  EXPECT_DOUBLE_EQ(evaluator.Quality(9.5, 5.0), (10.0 - 9.5) / (5.0 + 5.0));
  EXPECT_DOUBLE_EQ(evaluator.Quality(6.0, 5.0), (9.0 - 6.0) / 5.0)
      << "the better of the two ratios counts";
}

// After as many steps without a new minimum as are allowed, the reference is
// the worst point since the minimum.
TEST(StepEvaluator, ReferenceMovesToTheWorstRecentPoint) {
  StepEvaluator evaluator(10.0, 2);
  evaluator.Accept(5.0, 5.0);  // the minimum
  evaluator.Accept(7.0, 1.0);  // worst since
  evaluator.Accept(6.0, 2.0);  // second without a new minimum
  // Reference 7, and 2 predicted since.
  EXPECT_DOUBLE_EQ(evaluator.Quality(6.5, 2.0), (7.0 - 6.5) / (2.0 + 2.0));
  EXPECT_LT(evaluator.Quality(7.5, 2.0), 0.0);
}

TEST(StepEvaluator, NewMinimumStartsTheCountAgain) {
  StepEvaluator evaluator(10.0, 2);
  evaluator.Accept(8.0, 1.0);
  evaluator.Accept(9.0, 1.0);
  evaluator.Accept(7.0, 1.0);  // a new minimum in time
  evaluator.Accept(9.0, 1.0);
  // The reference is still the start: 10, with 4 predicted since.
  EXPECT_DOUBLE_EQ(evaluator.Quality(9.5, 1.0), 0.5 / 5.0);
}

}  // namespace
}  // namespace ceres::internal
