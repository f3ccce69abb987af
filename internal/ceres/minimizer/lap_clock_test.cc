// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/lap_clock.h"

#include <chrono>
#include <thread>

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

TEST(LapClock, NeverIsFarFromTheSteadyClock) {
  // Late by what passes between the two looks, which somebody who takes the cpu
  // may make longer; early by no more than the rate is wrong.
  constexpr double kMaxEarly = 1e-6;
  const double kMaxLate = 1e-5;
  LapClock clock;
  int num_late = 0;
  for (int i = 0; i < 100000; ++i) {
    clock.Lap();
    const double late = Seconds(Clock::now() - clock.now());
    ASSERT_GE(late, -kMaxEarly);
    if (late > kMaxLate) ++num_late;
  }
  EXPECT_LT(num_late, 1000);
}

TEST(LapClock, MeasuresLongLapsAsTheSteadyClockDoes) {
  LapClock clock;
  const Clock::time_point before = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double lap = clock.Lap();
  EXPECT_GE(lap, 0.020);
  EXPECT_LE(clock.now(), Clock::now());
  EXPECT_GE(clock.now(), before + std::chrono::milliseconds(20));
}

}  // namespace
}  // namespace ceres::internal
