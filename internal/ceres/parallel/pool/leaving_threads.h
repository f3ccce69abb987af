// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_LEAVING_THREADS_H_
#define CERES_INTERNAL_PARALLEL_POOL_LEAVING_THREADS_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/sync/address_wait.h"

namespace ceres::parallel::detail {

// Keeps a pool from being destroyed while threads that waited for its futures
// still use it.
//
// The destructor of a pool waits until all tasks have ended. A thread that
// waits for a future may then still be looking into the pool. The thread that
// ends the task therefore counts the waiting thread as leaving (Expect), before
// it counts the task as ended; the waiting thread takes its count back when it
// has left (HaveLeft); the destructor waits for zero.
//
// The word: number of threads (31 bits) | the destructor sleeps (bit 31).
class LeavingThreads {
 public:
  explicit LeavingThreads(std::atomic<std::uint32_t>& word) : word_(word) {}

  void Expect() { word_.fetch_add(1, std::memory_order_release); }
  // As the last access of its thread to the pool.
  void HaveLeft() {
    std::atomic<std::uint32_t>* const word = &word_;
    const std::uint32_t before = word->fetch_sub(1, std::memory_order_release);
    // Only the address is used: the pool may be gone.
    if ((before & kDestructorWaits) != 0) WakeAddress(word);
  }
  // Sleeps instead of yielding: under a real-time scheduler, a thread that only
  // yields could keep the others from running.
  void WaitUntilNone() {
    std::uint32_t leaving = 0;
    while (((leaving =
                 word_.fetch_or(kDestructorWaits, std::memory_order_acq_rel)) &
            ~kDestructorWaits) != 0) {
      WaitOnAddress(&word_, leaving | kDestructorWaits);
    }
  }
  int Count() const {
    return static_cast<int>(word_.load() & ~kDestructorWaits);
  }

 private:
  static constexpr std::uint32_t kDestructorWaits = 0x80000000u;
  std::atomic<std::uint32_t>& word_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_LEAVING_THREADS_H_
