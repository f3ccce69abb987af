// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_CONDITION_WAIT_H_
#define CERES_INTERNAL_PARALLEL_POOL_CONDITION_WAIT_H_

#include <chrono>

#include "ceres/parallel/parking/pool_words.h"
#include "ceres/parallel/parking/searcher.h"

namespace ceres::parallel::detail {

class PoolState;

// Waits for a condition that the runtime does not know (ThreadPool::WaitForAll,
// HelpUntil). The waiting thread meanwhile runs any work of the pool.
//
// How it sleeps:
//
// clang-format off
//   waiter                                 thread that enqueues a task
//   1. count itself in condition_waiters   1. set the bit of the queue
//   2. read condition_events               2. look at condition_waiters
//   3. look at the condition and           3. if there are any: change
//      at the queues                          condition_events, and wake
//   4. sleep while condition_events
//      is as it was
// clang-format on
//
// All of these accesses are sequentially consistent. If the look at
// condition_waiters misses the waiter, the waiter's look 3 comes after the bit
// was set, and finds the task. If it sees the waiter, the word changes: either
// before the waiter reads it, and then look 3 finds the task as well; or
// afterwards, and then the futex does not let the waiter sleep, or wakes it.
//
// The condition itself is foreign, and the end of a task is announced by a
// relaxed look at condition_waiters, before the end is counted. What is missed
// there costs at most kLongestConditionSleep. In WaitForAll it costs at most as
// long again as nothing has happened: the longest sleep doubles until a task is
// enqueued or ends, so that a long wait uses no CPU time.
//
// Thread-safe.
class ConditionWait {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  ConditionWait(PoolState& pool, PoolWords& words)
      : pool_(pool), words_(words) {}

  // Helps until holds(context), or the deadline; returns whether it holds. With
  // `tasks_of`, joins loops only within tasks of that pool. What holds() throws
  // reaches the caller.
  bool HelpUntil(bool (*holds)(void* context), void* context,
                 TimePoint deadline, const PoolState* tasks_of = nullptr);

 private:
  bool Sleep(bool (*holds)(void* context), void* context, TimePoint deadline,
             Searcher* searcher);

  PoolState& pool_;
  PoolWords& words_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_CONDITION_WAIT_H_
