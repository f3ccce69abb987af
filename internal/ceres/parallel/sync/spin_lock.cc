// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/spin_lock.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "ceres/base/intrinsics.h"
#include "ceres/base/platform.h"

namespace ceres::parallel::detail {
namespace {

// A thread that finds a lock taken reads it again kLockLooks times, then yields
// kLockYields times, then sleeps for kLockSleep before each further read.
// Chosen by measurement (benchmarks/runtime/busy_tasks.cc).
constexpr int kLockLooks = 100;
constexpr int kLockYields = 20;
constexpr auto kLockSleep = std::chrono::microseconds(20);

// std::this_thread::sleep_for of MinGW-w64 returns at once for a time below a
// millisecond; a wait on a word that nobody changes lasts at least that long.
void Sleep(std::chrono::nanoseconds time) {
  std::atomic<std::uint32_t> word{0};
  platform::WaitOnWord(&word, 0, time);
}

}  // namespace

void SpinLock::LockSlowly() {
  for (int round = 0;; ++round) {
    for (int look = 0; look < kLockLooks; ++look) {
      if (TryLock()) return;
      base::Pause();
    }
    if (round < kLockYields) {
      std::this_thread::yield();
    } else {
      Sleep(kLockSleep);
    }
  }
}

}  // namespace ceres::parallel::detail
