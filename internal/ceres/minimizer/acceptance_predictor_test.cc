// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/acceptance_predictor.h"

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

bool PredictsGoodStep(const AcceptancePredictor& predictor) {
  return predictor.PredictsAcceptance(1.0, 10.0, 1e-6);
}

// How many steps must be accepted until the next one is predicted to be; stops
// at 100.
int NumStepsUntilPrediction(AcceptancePredictor* predictor) {
  int steps = 0;
  while (!PredictsGoodStep(*predictor) && steps < 100) {
    predictor->RecordAccepted();
    ++steps;
  }
  return steps;
}

TEST(AcceptancePredictor, PredictsAcceptanceAfterTwoAcceptedSteps) {
  AcceptancePredictor predictor;
  EXPECT_EQ(NumStepsUntilPrediction(&predictor), 2);
  EXPECT_TRUE(PredictsGoodStep(predictor));
}

TEST(AcceptancePredictor, CountsFromZeroAfterARejectedStep) {
  AcceptancePredictor predictor;
  predictor.RecordAccepted();
  predictor.RecordRejected(false);
  EXPECT_EQ(NumStepsUntilPrediction(&predictor), 2);
}

TEST(AcceptancePredictor, WrongPredictionsGrowRareGeometrically) {
  AcceptancePredictor predictor;
  int last = NumStepsUntilPrediction(&predictor);
  for (int wrong = 0; wrong < 2; ++wrong) {
    predictor.RecordRejected(true);
    const int steps = NumStepsUntilPrediction(&predictor);
    EXPECT_GE(steps, 3 * last);
    last = steps;
  }
  for (int wrong = 0; wrong < 100; ++wrong) predictor.RecordRejected(true);
  EXPECT_EQ(NumStepsUntilPrediction(&predictor), 100) << "and stay rare";
}

TEST(AcceptancePredictor, DoesNotPredictAcceptanceNearConvergence) {
  AcceptancePredictor predictor;
  NumStepsUntilPrediction(&predictor);
  EXPECT_FALSE(predictor.PredictsAcceptance(1e-6, 10.0, 1e-6));
  EXPECT_TRUE(predictor.PredictsAcceptance(1e-6, 10.0, 1e-8));
  EXPECT_TRUE(predictor.PredictsAcceptance(1e-6, 10.0, 0.0));
  EXPECT_FALSE(predictor.PredictsAcceptance(1e-15, 10.0, 0.0))
      << "below the rounding error of the cost";
}

}  // namespace
}  // namespace ceres::internal
