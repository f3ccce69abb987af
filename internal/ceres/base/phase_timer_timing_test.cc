// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <chrono>

#include "ceres/base/phase_timer.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Clock = PhaseTimer::Clock;

double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

TEST(PhaseTimer, NeverIsFarFromTheSteadyClock) {
  // Late by what passes between the two readings, which a preemption makes
  // longer; early by no more than the error of the rate.
  constexpr double kMaxEarly = 1e-6;
  const double kMaxLate = 1e-5;
  PhaseTimer timer;
  int num_late = 0;
  for (int i = 0; i < 100000; ++i) {
    timer.EndPhase();
    const double late = Seconds(Clock::now() - timer.last_reading());
    ASSERT_GE(late, -kMaxEarly);
    if (late > kMaxLate) ++num_late;
  }
  EXPECT_LT(num_late, 1000);
}

}  // namespace
}  // namespace ceres::internal
