// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <chrono>

#include "ceres/base/lap_clock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Clock = LapClock::Clock;

double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
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

}  // namespace
}  // namespace ceres::internal
