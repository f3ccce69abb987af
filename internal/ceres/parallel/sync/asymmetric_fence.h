// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_ASYMMETRIC_FENCE_H_
#define CERES_INTERNAL_PARALLEL_SYNC_ASYMMETRIC_FENCE_H_

#include <atomic>

namespace ceres::parallel::detail {

// Fences for two threads that each store to one variable and then load the
// variable of the other thread. One thread does this often, the other seldom:
//
// clang-format off
//   often                seldom
//   x.store(1)           y.store(1)
//   LightFence()         HeavyFence()
//   y.load()             x.load()
// clang-format on
//
// At least one of the loads sees the other's store, as with two sequentially
// consistent fences. If the system can interrupt all threads of the process for
// a fence (membarrier on Linux), a light fence only restricts the compiler and
// is no instruction.

// Written when the program is loaded.
extern std::atomic<bool> are_light_fences_free;

inline void LightFence() {
  if (are_light_fences_free.load(std::memory_order_relaxed)) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

// Some microseconds.
void HeavyFence() noexcept;

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_ASYMMETRIC_FENCE_H_
