// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/clock.h"

namespace ceres::parallel::detail {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct ClockPair {
  Ticks ticks = Now();
  SteadyClock::time_point steady = SteadyClock::now();
};

const ClockPair at_load;

}  // namespace

// Two threads may both do it; either result will do.
float CalibrateClock() {
  using FloatNanoseconds = std::chrono::duration<double, std::nano>;
  constexpr double kMinNanoseconds = 20e3;
  ClockPair now;
  double elapsed = 0.0;
  do {
    now = ClockPair();
    elapsed = FloatNanoseconds(now.steady - at_load.steady).count();
  } while (elapsed < kMinNanoseconds || now.ticks <= at_load.ticks);
  const auto value = static_cast<float>(
      elapsed / static_cast<double>(now.ticks - at_load.ticks));
  nanoseconds_per_tick.store(value, std::memory_order_relaxed);
  return value;
}

}  // namespace ceres::parallel::detail
