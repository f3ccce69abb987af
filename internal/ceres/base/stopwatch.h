// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_STOPWATCH_H_
#define CERES_INTERNAL_BASE_STOPWATCH_H_

#include <chrono>

#include "ceres/base/clock.h"

namespace ceres::internal {

// Runs from its construction on. A look at the clock takes some 35 ns.
class Stopwatch {
 public:
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
