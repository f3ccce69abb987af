// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/sync/address_wait.h"

#include <algorithm>

#include "ceres/base/clock.h"
#include "ceres/base/platform.h"

namespace ceres::parallel::detail {
namespace {

// How long to sleep before looking again. A clock that a test advances is
// looked at every fraction of a millisecond.
std::chrono::nanoseconds SleepTime(
    std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::nanoseconds kLookAtFakeClock(200'000);
  const std::chrono::nanoseconds left = deadline - SteadyNow();
  const bool is_fake = base::clock_source.load(std::memory_order_relaxed) ==
                       base::ClockSource::kFake;
  return is_fake ? std::min(left, kLookAtFakeClock) : left;
}

}  // namespace

void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected) {
  platform::WaitOnWord(word, expected, std::chrono::nanoseconds(-1));
}

void WaitOnAddress(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                   std::chrono::steady_clock::time_point deadline) {
  if (deadline == std::chrono::steady_clock::time_point::max()) {
    WaitOnAddress(word, expected);
    return;
  }
  const std::chrono::nanoseconds left = SleepTime(deadline);
  if (left.count() > 0) platform::WaitOnWord(word, expected, left);
}

void WakeAddress(std::atomic<std::uint32_t>* word) {
  platform::WakeAllOnWord(word);
}

}  // namespace ceres::parallel::detail
