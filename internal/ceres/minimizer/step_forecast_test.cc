// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/step_forecast.h"

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

bool ExpectsGoodStep(const StepForecast& forecast) {
  return forecast.ExpectsSuccess(1.0, 10.0, 1e-6);
}

// How many steps must be taken before one is expected to be; gives up at 100.
int NumStepsToTrust(StepForecast* forecast) {
  int steps = 0;
  while (!ExpectsGoodStep(*forecast) && steps < 100) {
    forecast->Taken();
    ++steps;
  }
  return steps;
}

TEST(StepForecast, TrustsStepsAfterTwoInARow) {
  StepForecast forecast;
  EXPECT_EQ(NumStepsToTrust(&forecast), 2);
  EXPECT_TRUE(ExpectsGoodStep(forecast));
}

TEST(StepForecast, AStepThatWasNotTakenBeginsTheRowAnew) {
  StepForecast forecast;
  forecast.Taken();
  forecast.NotTaken(false);
  EXPECT_EQ(NumStepsToTrust(&forecast), 2);
}

TEST(StepForecast, WrongGuessesGrowRareGeometrically) {
  StepForecast forecast;
  int last = NumStepsToTrust(&forecast);
  for (int wrong = 0; wrong < 2; ++wrong) {
    forecast.NotTaken(true);
    const int steps = NumStepsToTrust(&forecast);
    EXPECT_GE(steps, 3 * last);
    last = steps;
  }
  for (int wrong = 0; wrong < 100; ++wrong) forecast.NotTaken(true);
  EXPECT_EQ(NumStepsToTrust(&forecast), 100) << "and stay rare";
}

TEST(StepForecast, ExpectsTheEndOfTheSolve) {
  StepForecast forecast;
  NumStepsToTrust(&forecast);
  EXPECT_FALSE(forecast.ExpectsSuccess(1e-6, 10.0, 1e-6));
  EXPECT_TRUE(forecast.ExpectsSuccess(1e-6, 10.0, 1e-8));
  EXPECT_TRUE(forecast.ExpectsSuccess(1e-6, 10.0, 0.0));
  EXPECT_FALSE(forecast.ExpectsSuccess(1e-15, 10.0, 0.0))
      << "rounding decides then";
}

}  // namespace
}  // namespace ceres::internal
