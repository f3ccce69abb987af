// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_CLOCK_H_
#define CERES_INTERNAL_BASE_CLOCK_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "ceres/base/intrinsics.h"
#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/detail/export.h"

// Two clocks. All functions are thread-safe.
//
//   Now()         the cheapest clock of the machine, for intervals of
//                 microseconds: the time stamp counter of the CPU, if it has
//                 one
//   SteadyNow()   std::chrono::steady_clock, for deadlines (detail/deadline.h)
//
// Tests replace both by a clock that they advance (fake_clock.h).

namespace ceres::base {

using Ticks = std::int64_t;

// The clock that Now() reads. It changes from kCounter to kSteady at most once,
// if calibration finds that the counter is not reliable. Tests change it to
// kFake and back.
enum class ClockSource : std::uint8_t { kCounter, kSteady, kFake };
CERES_PARALLEL_EXPORT inline std::atomic<ClockSource> clock_source{
    ClockSource::kCounter};

// Now() from a source other than the counter. A tick is a nanosecond.
CERES_PARALLEL_EXPORT Ticks NowWithoutCounter();

inline Ticks Now() {
  if (clock_source.load(std::memory_order_relaxed) != ClockSource::kCounter) {
    return NowWithoutCounter();
  }
  return ReadCounter();
}

// 0 until the first calibration.
CERES_PARALLEL_EXPORT inline std::atomic<float> nanoseconds_per_tick{0.0f};

// Both clocks, read at the same moment.
struct ClockPair {
  Ticks ticks = 0;
  std::chrono::steady_clock::time_point steady;
};

// The length of a tick between two readings, in nanoseconds. Returns nullopt if
// the counter is not reliable: it did not advance, or advanced at a rate that
// no counter has. A counter can be set back when a machine is suspended or a
// virtual machine is restored.
CERES_PARALLEL_EXPORT std::optional<float> TickLength(const ClockPair& earlier,
                                                      const ClockPair& later);

// Calibrates the clock: measures nanoseconds_per_tick over the time since
// `earlier`, at least 20 us, and nanoseconds_per_reading. The relative error is
// some thousandths, and less over longer times. Switches to kSteady if the
// counter is not reliable. Returns nanoseconds per tick.
CERES_PARALLEL_EXPORT float CalibrateClockSince(const ClockPair& earlier);
// Calibrates over the time since the library was loaded.
CERES_PARALLEL_EXPORT float CalibrateClock();

// The time of a reading of Now(). 0 until the first calibration. Subtract it
// from intervals of similar length.
CERES_PARALLEL_EXPORT inline std::atomic<float> nanoseconds_per_reading{0.0f};
// Measures the time of a reading, in nanoseconds, for ticks of this length.
CERES_PARALLEL_EXPORT float MeasureReading(float nanoseconds_per_tick);

inline float NanosecondsPerTick() {
  const float value = nanoseconds_per_tick.load(std::memory_order_relaxed);
  return value > 0.0f ? value : CalibrateClock();
}

// Bound of the difference of the counters of two CPUs, in ticks. If a reading
// is smaller than an earlier reading by more, the counter was set back.
inline constexpr Ticks kMaxSkew = 1'000'000;
// The length of an interval in which the counter was set back, in nanoseconds:
// longer than any spin, and short enough for averages of intervals.
inline constexpr float kIntervalWhenSetBack = 1e6f;

// The length of an interval in nanoseconds, >= 0.
inline float Nanoseconds(Ticks ticks) {
  if (ticks > 0) return static_cast<float>(ticks) * NanosecondsPerTick();
  return ticks > -kMaxSkew ? 0.0f : kIntervalWhenSetBack;
}

// Spins for this time, in nanoseconds.
inline void PauseFor(float nanoseconds) {
  const Ticks begin = Now();
  while (Nanoseconds(Now() - begin) < nanoseconds) Pause();
}

// For fake_clock.h: the time of both clocks while the source is kFake, and the
// time that each reading adds to it, in nanoseconds.
CERES_PARALLEL_EXPORT inline std::atomic<std::int64_t> fake_time{0};
CERES_PARALLEL_EXPORT inline std::atomic<std::int64_t> fake_reading_time{1};

}  // namespace ceres::base

#endif  // CERES_INTERNAL_BASE_CLOCK_H_
