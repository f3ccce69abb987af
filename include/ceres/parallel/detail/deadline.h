// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_DEADLINE_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_DEADLINE_H_

#include <chrono>
#include <type_traits>

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel::detail {

// std::chrono::steady_clock, which all deadlines are measured by. Tests replace
// it by a clock that they advance.
CERES_PARALLEL_EXPORT std::chrono::steady_clock::time_point SteadyNow();

// `timeout` from now, rounded up; never overflows.
template <typename Rep, typename Period>
std::chrono::steady_clock::time_point DeadlineAfter(
    std::chrono::duration<Rep, Period> timeout) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const Clock::time_point now = SteadyNow();
  // Less than what is left, in spite of the rounding of doubles.
  const double left = 0.99 * Seconds(Clock::time_point::max() - now).count();
  if (Seconds(timeout).count() >= left) return Clock::time_point::max();
  if (timeout <= timeout.zero()) return now;
  return now + std::chrono::ceil<Clock::duration>(timeout);
}

// The moment of any clock on the steady one; never overflows. The past is now,
// and what is more than a century ahead is never.
template <typename Clock, typename Duration>
std::chrono::steady_clock::time_point SteadyDeadline(
    std::chrono::time_point<Clock, Duration> deadline) {
  using Seconds = std::chrono::duration<double>;
  constexpr double kCentury = 3.2e9;
  std::chrono::time_point<Clock, typename Clock::duration> now;
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    now = SteadyNow();
  } else {
    now = Clock::now();
  }
  // The difference of the time points themselves may overflow.
  const double left = Seconds(deadline.time_since_epoch()).count() -
                      Seconds(now.time_since_epoch()).count();
  if (left > kCentury) return std::chrono::steady_clock::time_point::max();
  if (left < -1.0) return SteadyNow();
  return DeadlineAfter(deadline - now);
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_DEADLINE_H_
