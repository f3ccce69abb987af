// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TESTING_FAKE_CLOCK_H_
#define CERES_INTERNAL_BASE_TESTING_FAKE_CLOCK_H_

#include <atomic>
#include <chrono>

#include "ceres/base/clock.h"

// A clock for tests: its time changes when the test advances it.

namespace ceres::parallel {

// While it lives, all clocks of the process (Now, SteadyNow: loops, waits,
// deadlines, solves) show its time. The time begins an hour after the clock's
// epoch. Each reading takes a nanosecond, or as long as the test says: a thread
// that spins for a time stops spinning. Threads that sleep until a deadline
// notice an advance within a fraction of a millisecond.
//
// One at a time. While it is made and destroyed, no loop, task or solve runs;
// idle workers may measure one interval wrongly. Any thread may call Advance.
class FakeClock {
 public:
  explicit FakeClock(
      std::chrono::nanoseconds reading = std::chrono::nanoseconds(1)) {
    base::NanosecondsPerTick();  // Calibrates the counter while it can.
    source_ = base::clock_source.load();
    length_ = base::nanoseconds_per_tick.exchange(1.0f);
    base::fake_reading_time = reading.count();
    base::fake_time = std::chrono::nanoseconds(std::chrono::hours(1)).count();
    base::clock_source = base::ClockSource::kFake;
    reading_ =
        base::nanoseconds_per_reading.exchange(base::MeasureReading(1.0f));
  }
  ~FakeClock() {
    base::clock_source = source_;
    base::nanoseconds_per_tick = length_;
    base::nanoseconds_per_reading = reading_;
  }
  FakeClock(const FakeClock&) = delete;
  FakeClock& operator=(const FakeClock&) = delete;

  void Advance(std::chrono::nanoseconds time) {
    base::fake_time.fetch_add(time.count(), std::memory_order_relaxed);
  }
  static std::chrono::steady_clock::time_point now() {
    return detail::SteadyNow();
  }

 private:
  base::ClockSource source_;
  float length_;
  float reading_;
};

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_BASE_TESTING_FAKE_CLOCK_H_
