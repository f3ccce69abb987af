// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/spin_lock.h"

#include <chrono>
#include <thread>

#include "ceres/base/clock.h"
#include "ceres/parallel/pool/pool_tuning.h"

namespace ceres::parallel::detail {

void SpinLock::LockSlowly() {
  for (int round = 0;; ++round) {
    for (int look = 0; look < kLockLooks; ++look) {
      if (TryLock()) return;
      Pause();
    }
    if (round < kLockYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kLockSleep);
    }
  }
}

}  // namespace ceres::parallel::detail
