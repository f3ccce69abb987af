// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_WORKER_H_
#define CERES_INTERNAL_PARALLEL_PARKING_WORKER_H_

#include <atomic>
#include <thread>

#include "ceres/parallel/parking/queue_parking_protocol.h"
#include "ceres/parallel/sync/protocol_atomics.h"

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
  std::thread thread;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_WORKER_H_
