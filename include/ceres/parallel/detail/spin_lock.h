// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_SPIN_LOCK_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_SPIN_LOCK_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel::detail {

// A lock of one byte for critical sections of a few nanoseconds: one
// read-modify-write to take it, a plain store to give it back.
//
// A thread that finds it taken looks again for a while, then yields, then
// sleeps for microseconds: the holder may have been preempted, and under a
// real-time scheduler a thread that only yields could keep the holder from
// running.
class CERES_PARALLEL_EXPORT SpinLock {
 public:
  void Lock() {
    if (locked_.exchange(1, std::memory_order_acquire) != 0) LockSlowly();
  }
  bool TryLock() {
    return locked_.load(std::memory_order_relaxed) == 0 &&
           locked_.exchange(1, std::memory_order_acquire) == 0;
  }
  // In the child of a fork, where no other thread exists: frees a lock whose
  // holder exists in the parent only. Does not write where it need not, so that
  // parent and child go on sharing the memory.
  void FreeInChild() {
    if (locked_.load(std::memory_order_relaxed) != 0) Unlock();
  }
  void Unlock() { locked_.store(0, std::memory_order_release); }

  class Guard {
   public:
    explicit Guard(SpinLock& lock) : lock_(lock) { lock.Lock(); }
    ~Guard() { lock_.Unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    SpinLock& lock_;
  };

 private:
  void LockSlowly();

  std::atomic<std::uint8_t> locked_{0};
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_SPIN_LOCK_H_
