// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_WORKER_H_
#define CERES_INTERNAL_PARALLEL_POOL_WORKER_H_

#include <atomic>
#include <optional>
#include <thread>

#include "ceres/parallel/pool/cpu_mask.h"
#include "ceres/parallel/pool/protocol_atomics.h"
#include "ceres/parallel/tasks/queue_parking_protocol.h"

namespace ceres::parallel::detail {

// One worker thread of a pool. "The mutex" is that of the ParkingLot.
struct Worker : ParkedWorker<RealAtomics> {
  // Whether the thread has finished with the pool, and can be joined without
  // waiting.
  std::atomic<bool> gone{false};
  int index = 0;
  // Whether it looks for late regions while it is parked. Written under the
  // mutex.
  std::atomic<bool> keeps_watch{false};
  // The affinity mask to restore when it runs (CpuPlacement). Written before
  // the token is given, read after it is taken.
  std::optional<CpuMask> mask_to_restore;
  // The CPU on which it ran last; -1: it is parked.
  std::atomic<int> cpu{-1};
  std::thread thread;

  // Called by the worker.
  void NoteCpu() {
    const int now = CurrentCpu();
    if (cpu.load(std::memory_order_relaxed) != now) {
      cpu.store(now, std::memory_order_relaxed);
    }
  }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_WORKER_H_
