// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/asymmetric_fence.h"

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#define CERES_PARALLEL_HAVE_MEMBARRIER
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ceres::parallel::detail {
namespace {

#if defined(CERES_PARALLEL_HAVE_MEMBARRIER)
bool CallMembarrier(int command) {
  return syscall(__NR_membarrier, command, 0, 0) == 0;
}
bool Register() {
  return CallMembarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}
bool FenceAllThreads() {
  return CallMembarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
#else
bool Register() { return false; }
bool FenceAllThreads() { return true; }
#endif

}  // namespace

// Before it is initialized, all fences are instructions.
std::atomic<bool> are_light_fences_free = Register();

void HeavyFence() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!are_light_fences_free.load(std::memory_order_relaxed)) return;
  // A child of a fork may have to register anew.
  if (!FenceAllThreads() && Register()) FenceAllThreads();
}

}  // namespace ceres::parallel::detail
