// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/spin_lock.h"

#include <chrono>
#include <thread>

#include "ceres/base/clock.h"

namespace ceres::parallel::detail {

void SpinLock::LockSlowly() {
  constexpr int kLooks = 100;
  constexpr int kYields = 20;
  constexpr auto kNap = std::chrono::microseconds(20);
  for (int round = 0;; ++round) {
    for (int look = 0; look < kLooks; ++look) {
      if (TryLock()) return;
      Pause();
    }
    if (round < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
}

}  // namespace ceres::parallel::detail
