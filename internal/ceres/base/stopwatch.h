// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_STOPWATCH_H_
#define CERES_INTERNAL_BASE_STOPWATCH_H_

#include <chrono>

#include "ceres/base/clock.h"

namespace ceres::internal {

// Measures the time since its construction. A reading takes about 25 ns; for
// phases of a microsecond see phase_timer.h.
class Stopwatch {
 public:
  // Seconds since construction.
  double Seconds() const {
    return std::chrono::duration<double>(parallel::detail::SteadyNow() - start_)
        .count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = parallel::detail::SteadyNow();
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_BASE_STOPWATCH_H_
