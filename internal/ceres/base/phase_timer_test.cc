// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/phase_timer.h"

#include <chrono>

#include "ceres/base/testing/fake_clock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Clock = PhaseTimer::Clock;

double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

TEST(PhaseTimer, PhasesAddUpToTheTimeThatHasPassed) {
  PhaseTimer timer;
  const Clock::time_point start = timer.last_reading();
  double sum = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const Clock::time_point before = timer.last_reading();
    const double seconds = timer.EndPhase();
    ASSERT_GE(seconds, 0.0);
    ASSERT_NEAR(seconds, Seconds(timer.last_reading() - before), 1e-12);
    sum += seconds;
  }
  EXPECT_NEAR(sum, Seconds(timer.last_reading() - start), 1e-9);
}

TEST(PhaseTimer, MeasuresLongPhasesAsTheSteadyClockDoes) {
  parallel::FakeClock fake;
  PhaseTimer timer;
  const Clock::time_point before = timer.last_reading();
  fake.Advance(std::chrono::milliseconds(20));
  EXPECT_NEAR(timer.EndPhase(), 0.020, 1e-6);
  EXPECT_LE(timer.last_reading(), parallel::FakeClock::now());
  EXPECT_GE(timer.last_reading(), before + std::chrono::milliseconds(20));
}

TEST(PhaseTimer, FollowsACounterThatWasSetBack) {
  parallel::FakeClock fake;
  PhaseTimer timer;
  fake.Advance(-std::chrono::seconds(1));
  EXPECT_EQ(timer.EndPhase(), 0.0);
  fake.Advance(std::chrono::seconds(1) + std::chrono::microseconds(5));
  EXPECT_NEAR(timer.EndPhase(), 5e-6, 1e-6);
}

}  // namespace
}  // namespace ceres::internal
