// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_CLOCK_H_
#define CERES_INTERNAL_BASE_CLOCK_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "ceres/parallel/detail/deadline.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

// Two clocks. Now() is the cheapest clock of the machine, for decisions about
// microseconds: the time stamp counter of the CPU where there is one.
// SteadyNow() (detail/deadline.h) is std::chrono::steady_clock, for deadlines.
// Tests replace both by one that they advance (fake_clock.h).

namespace ceres::parallel::detail {

using Ticks = std::int64_t;

// What Now() reads. It changes from kCounter to kSteady at most once, when the
// counter turns out to be of no use, and to kFake and back in tests only.
enum class ClockSource : std::uint8_t { kCounter, kSteady, kFake };
inline std::atomic<ClockSource> clock_source{ClockSource::kCounter};

// Now() from a source other than the counter; a tick is a nanosecond then.
Ticks NowWithoutCounter();

inline Ticks Now() {
  if (clock_source.load(std::memory_order_relaxed) != ClockSource::kCounter) {
    return NowWithoutCounter();
  }
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<Ticks>(__rdtsc());
#elif defined(__aarch64__)
  Ticks ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

// 0 until the first use.
inline std::atomic<float> nanoseconds_per_tick{0.0f};

// Both clocks, read at the same moment.
struct ClockPair {
  Ticks ticks = 0;
  std::chrono::steady_clock::time_point steady;
};

// The length of a tick between two readings, in nanoseconds. None if the
// counter cannot be trusted: it did not advance (suspending a machine or
// restoring a virtual one may set it back) or advanced at a rate that no
// counter has.
std::optional<float> TickLength(const ClockPair& earlier,
                                const ClockPair& later);

// Measures the length of a tick since an earlier reading, or over 20 us if that
// was less: to a few thousandths then, and better later. Switches to
// steady_clock if the counter cannot be trusted. Measures what a reading takes.
// Returns nanoseconds per tick.
float CalibrateClockSince(const ClockPair& earlier);
// Since the library was loaded.
float CalibrateClock();

// What a reading of Now() takes. The clock's calibration measures it; 0 before.
// Subtract it from an interval that may be as short.
inline std::atomic<float> nanoseconds_per_reading{0.0f};
// Returns what it measures, with ticks of this length.
float MeasureReading(float nanoseconds_per_tick);

inline float NanosecondsPerTick() {
  const float value = nanoseconds_per_tick.load(std::memory_order_relaxed);
  return value > 0.0f ? value : CalibrateClock();
}

// The counters of two CPUs differ by less than this. A larger step back means
// that the counter was set back between two readings.
inline constexpr Ticks kMaxSkew = 1'000'000;
// What such an interval counts as: longer than any spin, and short enough not
// to distort what is learned from intervals.
inline constexpr float kIntervalWhenSetBack = 1e6f;

// The length of an interval; never negative.
inline float Nanoseconds(Ticks ticks) {
  if (ticks > 0) return static_cast<float>(ticks) * NanosecondsPerTick();
  return ticks > -kMaxSkew ? 0.0f : kIntervalWhenSetBack;
}

// A hint to the CPU that the thread waits for another.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// For fake_clock.h: the time that both clocks show while the source is kFake,
// and what each reading adds to it, in nanoseconds.
inline std::atomic<std::int64_t> fake_time{0};
inline std::atomic<std::int64_t> fake_reading_time{1};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_BASE_CLOCK_H_
