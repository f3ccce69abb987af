// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/sync/asymmetric_fence.h"

#include "ceres/base/platform.h"

namespace ceres::parallel::detail {

// Before it is initialized, all fences are instructions.
std::atomic<bool> are_light_fences_free = platform::RegisterForInterrupts();

void HeavyFence() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!are_light_fences_free.load(std::memory_order_relaxed)) return;
  // A child of a fork may have to register anew.
  if (!platform::InterruptAllThreads() && platform::RegisterForInterrupts()) {
    platform::InterruptAllThreads();
  }
}

}  // namespace ceres::parallel::detail
