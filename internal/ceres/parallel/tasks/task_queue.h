// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_QUEUE_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_QUEUE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>

#include "ceres/parallel/detail/spin_lock.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/parking/queue_parking_protocol.h"
#include "ceres/parallel/parking/work_source.h"
#include "ceres/parallel/regions/region_word.h"
#include "ceres/parallel/sync/protocol_atomics.h"

// The task queues of a pool. Each thread that gives tasks to the pool has a
// queue. A queue holds task sets, not tasks: a thread that searches finds a set
// in a queue and claims one of the tasks of the set.
//
// Invariant: a task set is enqueued if and only if it has unclaimed tasks and
// its thread limit is not reached. (Tasks in a registered batch are unclaimed.)
//
// Why it is correct
//  - One lock for all: the lock of the queue protects its lists, and, for each
//    set that belongs to it, the links, whether the set is enqueued, and the
//    list of tasks. A set belongs to one queue all its life. No thread holds
//    two locks of this kind, or calls foreign code with one.
//  - A set that is enqueued is alive: its owner deletes it when nothing is
//    pending, and it leaves the queue with the claim of its last task, or with
//    the last batch. After the lock is released, the claimed task keeps the set
//    alive. A single task is claimed by removing its set from the queue, so it
//    is claimed exactly once.
//  - Queues are never freed: when a pool ends, they go to a store for the next
//    pool. So a thread that holds a future may lock the queue of its set
//    without knowing whether the pool still exists. If the task is still
//    enqueued, the pool exists, because its destructor waits for all tasks.
//  - No task is overlooked. A bit says that a list of a queue is not empty:
//
// clang-format off
//      thread that enqueues           worker that ends its search
//      1. lock, enqueue, set the bit  1. count itself as not searching
//      2. look whether any worker     2. look at the bits
//         searches; if not, wake one
// clang-format on
//
//    The bit is cleared under the lock, by a thread that finds the list empty.
//    All four accesses are sequentially consistent. Either the bit comes first
//    in their order, and the worker sees it, or the worker's count does, and
//    the thread that enqueues wakes a worker. If the bit was already set, it
//    was set before step 2, and the same holds.
//
// Fresh tasks. A thread that adds a task often takes it itself a few
// nanoseconds later. If another thread took it meanwhile, both would wait for
// cache lines longer than the task takes. So a thread that looks into the queue
// of another thread leaves the queue alone until it has been non-empty for
// kFreshTime without a break. Only speed depends on this rule: a thread that
// defers goes on searching, so a thread that enqueues relies on it as before,
// and a thread that is about to sleep takes fresh tasks, too
// (SourceSearch::is_last_look). A worker does not park while the bit is set.

namespace ceres::parallel::detail {

enum class End { kNewest, kOldest };

class alignas(64) TaskQueue {
 public:
  // A queue for a pool: from the store, or new. In the child of a fork also a
  // reserved one.
  static TaskQueue* New(QueueBits* bits, int index, bool exclusive,
                        bool in_child = false);
  // Gives the queue to the store. It is empty.
  static void Store(TaskQueue* queue);
  // Keeps `num_queues` queues in the store for children of forks, which may
  // have no memory. Throws std::bad_alloc if the store has fewer and there is
  // no memory for more. One thread at a time may call it.
  static void ReserveForChildren(int num_queues);

  SpinLock& lock() { return lock_; }
  // With the lock held.
  void EnqueueLocked(TaskSet* set);
  void DequeueLocked(TaskSet* set);

  // Claims a task of the first set, from that end, that has one.
  ClaimedTask Claim(bool high, End end);
  // Claims a task within the region `ancestor`. Looks at the kMaxSetsInQueue
  // oldest sets only, and at none if another thread holds the lock, unless
  // `waits_for_lock`.
  ClaimedTask ClaimWithin(bool high, RegionHandle ancestor,
                          bool waits_for_lock);
  // Whether the list has not become non-empty again for kFreshTime. For threads
  // that look into the queue of another thread, at most once in kFreshTime:
  // each look takes a cache line away from it.
  bool IsSettled(bool high);

  // Counts of tasks that the threads of this queue have given to the pool, and
  // of tasks that they have ended.
  void CountSpawned(int count) { Add(&spawned_, count); }
  void CountFinished(int count) { Add(&finished_, count); }
  std::uint64_t NumSpawned() const {
    return spawned_.load(std::memory_order_acquire);
  }
  std::uint64_t NumFinished() const {
    return finished_.load(std::memory_order_acquire);
  }

  int index() const { return index_; }
  TaskQueue* next_stored() const { return next_stored_; }
  bool exclusive() const { return exclusive_; }
  // In the child of a fork, where the thread that holds the lock may not exist:
  // frees the lock, for owners of sets that were made before the fork. No other
  // thread looks into the queue any more.
  void Abandon();
  // For tests that hang (pool_debug.cc).
  std::string DebugString();

 private:
  struct List {
    TaskSet* newest = nullptr;
    TaskSet* oldest = nullptr;
    // Changes when the list becomes non-empty.
    std::atomic<std::uint32_t> period{0};
  };

  TaskQueue() = default;

  // The thread of an exclusive queue is the only one that writes.
  void Add(std::atomic<std::uint64_t>* counter, int count) const {
    const auto n = static_cast<std::uint64_t>(count);
    if (exclusive_) {
      counter->store(counter->load(std::memory_order_relaxed) + n,
                     std::memory_order_release);
    } else {
      counter->fetch_add(n, std::memory_order_release);
    }
  }
  ClaimedTask ClaimFromLocked(TaskSet* set, End end);

  SpinLock lock_;
  bool exclusive_ = true;
  int index_ = 0;
  QueueBits* bits_ = nullptr;
  std::array<List, 2> lists_;

  // When a searching thread has first seen the present period of each list: 16
  // bits of the period, and the time. Only threads that search write it.
  alignas(64) std::array<std::atomic<std::uint64_t>, 2> first_seen_{};

  alignas(64) std::atomic<std::uint64_t> spawned_{0};
  std::atomic<std::uint64_t> finished_{0};
  TaskQueue* next_stored_ = nullptr;
};

inline SpinLock& TaskSet::lock() {
  return queue_ != nullptr ? queue_->lock() : own_lock_;
}

// All task queues of a pool. Thread-safe, except where noted.
class TaskQueues {
 public:
  // Queues 1 to kNumExclusive - 1 have one thread each. Further threads share
  // the others. Queue 0, which always exists, is for threads that get no
  // memory.
  static constexpr int kMaxQueues = 64;
  static constexpr int kNumExclusive = 32;

  // In the child of a fork, the queue that always exists is a reserved one.
  explicit TaskQueues(QueueBits* bits, bool in_child = false);
  ~TaskQueues();
  TaskQueues(const TaskQueues&) = delete;
  TaskQueues& operator=(const TaskQueues&) = delete;

  // A queue for the calling thread, or std::bad_alloc. Tasks in a returned
  // queue stay there.
  TaskQueue* Borrow();
  void Return(TaskQueue* queue) noexcept;
  TaskQueue* First() const { return At(0); }

  // Claims a task from any queue: from the newest end of `own` first, then from
  // the oldest end of others. Prefers high priority. One in kFairTurn calls
  // prefers normal priority, and one in kFairTurn claims in the opposite order.
  ClaimedTask Claim(TaskQueue* own, SourceSearch* search);
  ClaimedTask ClaimWithin(RegionHandle ancestor, SourceSearch* search);

  // Whether all tasks that were given to the pool before the call have ended.
  bool AllFinished() const;

  // In the child of a fork. The object is given up, not destroyed.
  void AbandonAll();
  std::string DebugString() const;

 private:
  ClaimedTask ClaimOf(bool high, TaskQueue* own, SourceSearch* search);
  bool MustDefer(int index, bool high, SourceSearch* search) const;
  TaskQueue* At(int index) const {
    return queues_[index].load(std::memory_order_acquire);
  }

  QueueBits* const bits_;
  std::array<std::atomic<TaskQueue*>, kMaxQueues> queues_{};
  std::mutex mutex_;
  int num_queues_ = 0;
  int next_shared_ = kNumExclusive;
  // Exclusive ones.
  std::array<TaskQueue*, kNumExclusive> returned_{};
  int num_returned_ = 0;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_QUEUE_H_
