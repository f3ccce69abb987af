// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_DEADLINE_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_DEADLINE_H_

#include <chrono>
#include <type_traits>

namespace ceres::parallel::detail {

// std::chrono::steady_clock, which all deadlines are measured by. Tests replace
// it by a clock that they advance.
std::chrono::steady_clock::time_point SteadyNow();

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

// The moment of any clock on the steady one.
template <typename Clock, typename Duration>
std::chrono::steady_clock::time_point SteadyDeadline(
    std::chrono::time_point<Clock, Duration> deadline) {
  if (deadline == std::chrono::time_point<Clock, Duration>::max()) {
    return std::chrono::steady_clock::time_point::max();
  }
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    return std::chrono::ceil<std::chrono::steady_clock::duration>(deadline);
  } else {
    return DeadlineAfter(deadline - Clock::now());
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_DEADLINE_H_
