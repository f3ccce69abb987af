// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/lap_clock.h"

#include <chrono>

#include "ceres/base/testing/fake_clock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Clock = LapClock::Clock;

double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

TEST(LapClock, LapsAddUpToTheTimeThatHasPassed) {
  LapClock clock;
  const Clock::time_point start = clock.now();
  double sum = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const Clock::time_point before = clock.now();
    const double lap = clock.Lap();
    ASSERT_GE(lap, 0.0);
    ASSERT_NEAR(lap, Seconds(clock.now() - before), 1e-12);
    sum += lap;
  }
  EXPECT_NEAR(sum, Seconds(clock.now() - start), 1e-9);
}

TEST(LapClock, MeasuresLongLapsAsTheSteadyClockDoes) {
  parallel::FakeClock fake;
  LapClock clock;
  const Clock::time_point before = clock.now();
  fake.Advance(std::chrono::milliseconds(20));
  EXPECT_NEAR(clock.Lap(), 0.020, 1e-6);
  EXPECT_LE(clock.now(), parallel::FakeClock::now());
  EXPECT_GE(clock.now(), before + std::chrono::milliseconds(20));
}

TEST(LapClock, FollowsACounterThatWasSetBack) {
  parallel::FakeClock fake;
  LapClock clock;
  fake.Advance(-std::chrono::seconds(1));
  EXPECT_EQ(clock.Lap(), 0.0);
  fake.Advance(std::chrono::seconds(1) + std::chrono::microseconds(5));
  EXPECT_NEAR(clock.Lap(), 5e-6, 1e-6);
}

}  // namespace
}  // namespace ceres::internal
