// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_PHASE_TIMER_H_
#define CERES_INTERNAL_BASE_PHASE_TIMER_H_

#include <algorithm>
#include <chrono>

#include "ceres/base/clock.h"

namespace ceres::internal {

// Measures consecutive phases: one reading ends a phase and begins the next.
// For one thread.
//
// For phases of a microsecond. The timer reads the cheapest clock of the
// machine (Now(), clock.h), whose rate is known to some thousandths. It reads
// steady_clock instead when more than kMaxUncheckedTicks have passed since the
// last such reading, so that the error stays below a microsecond. The time of
// the timer never decreases.
//
// Why not Stopwatch: see docs/notes/2026-11-23-phase-timer.md.
class PhaseTimer {
 public:
  using Clock = std::chrono::steady_clock;

  PhaseTimer() { ReadSteadyClock(); }

  // The time at the last reading.
  Clock::time_point last_reading() const { return now_; }

  // Reads the clock. Returns the seconds since the last reading.
  double EndPhase() {
    const Clock::time_point last = now_;
    const base::Ticks ticks = base::Now();
    if (ticks < checked_at_ || ticks - checked_at_ > kMaxUncheckedTicks) {
      ReadSteadyClock();
    } else {
      now_ += std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<float, std::nano>(
              base::Nanoseconds(ticks - ticks_)));
      ticks_ = ticks;
    }
    return std::chrono::duration<double>(now_ - last).count();
  }

 private:
  // 16 to 60 us with the counters of x86 CPUs.
  static constexpr base::Ticks kMaxUncheckedTicks = 1 << 16;

  void ReadSteadyClock() {
    now_ = std::max(now_, parallel::detail::SteadyNow());
    ticks_ = base::Now();
    checked_at_ = ticks_;
  }

  Clock::time_point now_;
  base::Ticks ticks_ = 0;       // at the last reading
  base::Ticks checked_at_ = 0;  // at the last of steady_clock
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_PHASE_TIMER_H_
