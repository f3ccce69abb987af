// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/clock.h"

#include <algorithm>
#include <limits>

namespace ceres::base {
namespace {

using SteadyClock = std::chrono::steady_clock;

double NanosecondsBetween(SteadyClock::time_point begin,
                          SteadyClock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

// Returns the fastest of a few readings: a page fault or another thread may
// come between the two clocks.
ClockPair ReadBoth() {
  constexpr int kReadings = 5;
  ClockPair best;
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

Ticks SteadyTicks() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             SteadyClock::now().time_since_epoch())
      .count();
}

Ticks FakeTicks() {
  return fake_time.fetch_add(fake_reading_time.load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
}

}  // namespace

Ticks NowWithoutCounter() {
  return clock_source.load(std::memory_order_relaxed) == ClockSource::kFake
             ? FakeTicks()
             : SteadyTicks();
}

std::optional<float> TickLength(const ClockPair& earlier,
                                const ClockPair& later) {
  // Counters run at 1 MHz (some ARM systems) to a few GHz.
  constexpr double kShortest = 0.05;
  constexpr double kLongest = 2000.0;
  const double ticks =
      static_cast<double>(later.ticks) - static_cast<double>(earlier.ticks);
  if (ticks <= 0.0) return std::nullopt;
  const double length =
      NanosecondsBetween(earlier.steady, later.steady) / ticks;
  if (length < kShortest || length > kLongest) return std::nullopt;
  return static_cast<float>(length);
}

// Returns the least mean of a few series: a thread may be interrupted. Two
// readings would not do: some counters advance in steps of 10 ns or more.
float MeasureReading(float nanoseconds_per_tick) {
  constexpr int kSeries = 5;
  constexpr int kReadings = 32;
  Ticks least = std::numeric_limits<Ticks>::max();
  for (int series = 0; series < kSeries; ++series) {
    const Ticks start = Now();
    Ticks end = start;
    for (int k = 0; k < kReadings; ++k) end = Now();
    // Less than nothing: the thread has come to a CPU whose counter is behind.
    if (end >= start) least = std::min(least, end - start);
  }
  if (least == std::numeric_limits<Ticks>::max()) return 0.0f;
  return nanoseconds_per_tick * static_cast<float>(least) / kReadings;
}

// Two threads may both calibrate; either result will do.
float CalibrateClockSince(const ClockPair& earlier) {
  constexpr double kMinNanoseconds = 20e3;
  ClockPair now = ReadBoth();
  while (NanosecondsBetween(earlier.steady, now.steady) < kMinNanoseconds) {
    now = ReadBoth();
  }
  const std::optional<float> measured = TickLength(earlier, now);
  if (!measured) {
    clock_source.store(ClockSource::kSteady, std::memory_order_relaxed);
  }
  const float value = measured.value_or(1.0f);
  nanoseconds_per_reading.store(MeasureReading(value),
                                std::memory_order_relaxed);
  nanoseconds_per_tick.store(value, std::memory_order_relaxed);
  return value;
}

float CalibrateClock() { return CalibrateClockSince(at_load); }

}  // namespace ceres::base

namespace ceres::parallel::detail {

std::chrono::steady_clock::time_point SteadyNow() {
  using std::chrono::steady_clock;
  if (base::clock_source.load(std::memory_order_relaxed) !=
      base::ClockSource::kFake) {
    return steady_clock::now();
  }
  return steady_clock::time_point(
      std::chrono::duration_cast<steady_clock::duration>(
          std::chrono::nanoseconds(base::FakeTicks())));
}

}  // namespace ceres::parallel::detail
