// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/clock.h"

#include <limits>

namespace ceres::parallel::detail {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct ClockPair {
  Ticks ticks;
  SteadyClock::time_point steady;
};

// Both clocks at once: of a few readings the one that least came between, be it
// a fault for the page of the clock, as the first time, or another thread.
ClockPair ReadBoth() {
  constexpr int kReadings = 5;
  ClockPair best = {};
  Ticks least = std::numeric_limits<Ticks>::max();
  for (int k = 0; k < kReadings; ++k) {
    const Ticks before = Now();
    const SteadyClock::time_point steady = SteadyClock::now();
    const Ticks between = Now() - before;
    if (between >= 0 && between < least) {
      least = between;
      best = {before + between / 2, steady};
    }
  }
  return best;
}

const ClockPair at_load = ReadBoth();

}  // namespace

// Two threads may both do it; either result will do.
float CalibrateClock() {
  using FloatNanoseconds = std::chrono::duration<double, std::nano>;
  constexpr double kMinNanoseconds = 20e3;
  ClockPair now = {};
  double elapsed = 0.0;
  do {
    now = ReadBoth();
    elapsed = FloatNanoseconds(now.steady - at_load.steady).count();
  } while (elapsed < kMinNanoseconds || now.ticks <= at_load.ticks);
  const auto value = static_cast<float>(
      elapsed / static_cast<double>(now.ticks - at_load.ticks));
  nanoseconds_per_tick.store(value, std::memory_order_relaxed);
  return value;
}

}  // namespace ceres::parallel::detail
