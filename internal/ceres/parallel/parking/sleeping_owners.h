// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_SLEEPING_OWNERS_H_
#define CERES_INTERNAL_PARALLEL_PARKING_SLEEPING_OWNERS_H_

#include <mutex>
#include <string>

#include "ceres/parallel/parking/pool_words.h"
#include "ceres/parallel/parking/thread_budget.h"
#include "ceres/parallel/regions/region_word.h"
#include "ceres/parallel/sync/replaced_on_fork.h"

namespace ceres::parallel::detail {

// A thread that sleeps until a region ends, or until a condition holds. Lies in
// the stack frame of the thread. The handle belongs to the thread, all else to
// SleepingOwners.
struct SleepingOwner {
  RegionHandle handle = 0;  // Of the region; 0: it waits for a condition.
  bool roused = false;      // It has been woken.
  bool is_inactive = false;
  SleepingOwner* older = nullptr;
  SleepingOwner* newer = nullptr;
};

// The threads of a pool that sleep while they wait. If a region opens within
// the region that a thread waits for, the thread may be woken to help with it.
//
// How a thread sleeps:
//
// clang-format off
//   Begin(&self)           from now on, other threads find this one
//   look for work          once more; if there is none:
//   BecomeInactive(&self)  another thread may run in its place
//   sleep                  until the region ends, or it is woken
//   End(&self)
// clang-format on
//
// A thread that was at work for the pool before does not become inactive: it
// continues with that work when its wait ends, whatever other threads do.
//
// Correctness: a thread enters the list before it looks for work, and this look
// waits for the locks of task queues. The owner of a region within opens the
// region before it looks at the list. So either the sleeper sees the region, or
// the owner sees the sleeper; only speed depends on it.
// Invariant: a thread in the list is woken by WakeOneFor at most once.
// Invariant: words.inactive is the number of listed threads with is_inactive.
// All members of the list change under the mutex.
//
// Thread-safe. No function allocates or throws: helpers may be using the frame
// of the caller.
class SleepingOwners {
 public:
  SleepingOwners(PoolWords& words, const ThreadBudget& budget)
      : words_(words), budget_(budget) {}

  void Begin(SleepingOwner* owner) noexcept;
  void BecomeInactive(SleepingOwner* owner) noexcept;
  void End(SleepingOwner* owner) noexcept;

  // Wakes the oldest sleeper that waits for a region around `handle`, if the
  // running limit allows it. Returns whether it woke one.
  bool WakeOneFor(RegionHandle handle);

  // In the child of a fork.
  void ResetAfterFork() { list_.Replace(); }
  std::string DebugString() const;

 private:
  struct List {
    std::mutex mutex;
    SleepingOwner* oldest = nullptr;
    SleepingOwner* newest = nullptr;
  };

  bool BecomeActiveLocked(SleepingOwner* owner);

  PoolWords& words_;
  const ThreadBudget& budget_;
  ReplacedOnFork<List> list_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_SLEEPING_OWNERS_H_
