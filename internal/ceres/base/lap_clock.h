// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_LAP_CLOCK_H_
#define CERES_INTERNAL_BASE_LAP_CLOCK_H_

#include <algorithm>
#include <chrono>

#include "ceres/base/clock.h"

namespace ceres::internal {

// A steady_clock for phases that may take less than looking at it does twice,
// as those of small problems do: short laps are taken by the cheapest clock of
// the machine (parallel/clock.h), whose rate is known to thousandths. Before
// that could add up to more than kMaxUnchecked, or where a lap is longer, it is
// set by steady_clock. It never goes back. For one thread.
class LapClock {
 public:
  using Clock = std::chrono::steady_clock;

  LapClock() { Set(); }

  // As it was read last.
  Clock::time_point now() const { return now_; }

  // Reads it. Seconds since it was read last.
  double Lap() {
    const Clock::time_point last = now_;
    const parallel::detail::Ticks ticks = parallel::detail::Now();
    if (ticks < set_at_ || ticks - set_at_ > kMaxUnchecked) {
      Set();
    } else {
      now_ += std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<float, std::nano>(
              parallel::detail::Nanoseconds(ticks - ticks_)));
      ticks_ = ticks;
    }
    return std::chrono::duration<double>(now_ - last).count();
  }

 private:
  // 16 to 60 us on x86.
  static constexpr parallel::detail::Ticks kMaxUnchecked = 1 << 16;

  void Set() {
    now_ = std::max(now_, parallel::detail::SteadyNow());
    ticks_ = parallel::detail::Now();
    set_at_ = ticks_;
  }

  Clock::time_point now_;
  parallel::detail::Ticks ticks_ = 0;
  parallel::detail::Ticks set_at_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_LAP_CLOCK_H_
