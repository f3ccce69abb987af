// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_CPU_PLACEMENT_H_
#define CERES_INTERNAL_PARALLEL_POOL_CPU_PLACEMENT_H_

#include <atomic>
#include <memory>
#include <vector>

#include "ceres/parallel/pool/cpu_mask.h"
#include "ceres/parallel/pool/thread_budget.h"
#include "ceres/parallel/pool/worker.h"

namespace ceres::parallel::detail {

// On which CPUs the workers of a pool run.
//
// With ThreadPoolOptions::pin, each worker is pinned to one CPU. Without it,
// before a thread wakes or starts a worker, it removes its own CPU, and those
// of workers that run, from the worker's affinity mask. The worker restores its
// mask as soon as it runs.
//
// Why: the kernel of a virtual machine may put a woken thread on the CPU of the
// thread that wakes it, although other CPUs are idle. (To Linux on KVM, a CPU
// that has halted looks like one that the host has taken away.) The woken
// thread may then not run for milliseconds, which is the whole of a short loop.
//
// Nothing is removed if the running limit exceeds the number of CPUs, or if no
// CPU would remain. If the system refuses a change, only speed suffers.
//
// Thread safety: PinThisThread and RestoreMask are called by the worker,
// ExcludeCallerCpu under the mutex of the ParkingLot and before the token is
// given. Invariant: between its token and its next parking, only the worker
// touches its mask_to_restore.
class CpuPlacement {
 public:
  // pin: worker k runs on CPU k + 1, counted from 0 and round, of those on
  // which the calling thread may run.
  CpuPlacement(const ThreadBudget& budget, bool pin);

  void PinThisThread(int index) const;

  // Before the worker is given its token. `workers`: all that are started.
  void ExcludeCallerCpu(Worker* worker,
                        const std::vector<std::unique_ptr<Worker>>& workers);
  // In the worker, when it has its token.
  static void RestoreMask(Worker* worker);

  // How many times ExcludeCallerCpu has changed a mask.
  int NumExclusions() const {
    return num_exclusions_.load(std::memory_order_relaxed);
  }

 private:
  const ThreadBudget& budget_;
  // The mask of the thread that made the pool. Null: workers are not pinned, or
  // the system does not tell. (A new thread has the mask of the thread that
  // starts it, which may be a pinned worker.)
  const std::unique_ptr<const CpuMask> mask_to_pin_;
  std::atomic<int> num_exclusions_{0};
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_CPU_PLACEMENT_H_
