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
#include <vector>

#include "ceres/parallel/detail/spin_lock.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/loops/region_word.h"
#include "ceres/parallel/pool/protocol_atomics.h"
#include "ceres/parallel/tasks/queue_parking_protocol.h"

// Where offers of task sets hang: every thread that gives tasks to a pool has a
// queue there.
//
// Why it is correct
//  - One lock for all: the queue's lock protects its lists, the links of the
//  sets
//    that belong to it, whether they hang, and their lists of tasks. A set
//    belongs to one queue all its life. No thread ever holds two locks of this
//    kind, nor calls foreign code with one.
//  - A set hangs exactly while it has tasks in its list, or a batch that is
//    registered, and may have one more thread; all change under the lock,
//    together. A set that hangs is alive: its owner deletes it when nothing is
//    pending, and it is taken down with the claim of its last task or by the
//    thread of the last batch. Once the lock is given back, the claimed task
//    keeps the set alive. A single task is claimed by taking its set down,
//    exactly once.
//  - Boxes are never freed: when a pool ends, they go to the next one. So a
//    thread that holds a future may lock the queue that the future was put in,
//    without knowing whether the pool still exists; if the task is still there,
//    the pool does, because its destructor waits for all tasks.
//  - No offer is overlooked. A bit says that a list of a queue is not empty. It
//    is set, under the queue's lock, by who hangs the first offer, before it
//    looks for threads that seek work; it is cleared under the lock by who
//    finds the list empty. A thread that stops seeking first says so
//    (PoolState), and then looks at the bits. All four accesses are
//    sequentially consistent: either the bit comes first in their order, and
//    the thread sees it, or the thread's announcement does, and who hangs the
//    offer calls another thread. If the bit was set already, it was so before
//    the look at the announcements, and the same holds.

namespace ceres::parallel::detail {

using QueueBits = BasicQueueBits<RealAtomics>;

// A claim: a set with its single task, or one task of a set. Empty: no set.
struct ClaimedTask {
  TaskSet* set = nullptr;
  Task* task = nullptr;
  explicit operator bool() const { return set != nullptr; }
};

enum class End { kNewest, kOldest };

class alignas(64) TaskQueue {
 public:
  // A queue for a pool; from the store, or new.
  static TaskQueue* New(QueueBits* bits, int index, bool exclusive);
  // Nobody's tasks are in it any more.
  static void Store(TaskQueue* queue);

  SpinLock& lock() { return lock_; }
  // With the lock held.
  void EnqueueLocked(TaskSet* set);
  void DequeueLocked(TaskSet* set);

  // Claims a task of the first offer, from that end, that has one.
  ClaimedTask Claim(bool high, End end);
  // Claims a task within the group `ancestor`; looks at some of the oldest
  // offers, and not at all if somebody else holds the lock.
  ClaimedTask ClaimWithin(bool high, RegionHandle ancestor);

  // Tasks that threads of this queue have given to the pool, and that they have
  // ended.
  void CountSpawned(int count) { Add(&spawned_, count); }
  void CountFinished(int count) { Add(&finished_, count); }
  std::uint64_t NumSpawned() const {
    return spawned_.load(std::memory_order_acquire);
  }
  std::uint64_t NumFinished() const {
    return finished_.load(std::memory_order_acquire);
  }

  int index() const { return index_; }
  bool exclusive() const { return exclusive_; }
  // In the child of a fork, where the thread that holds the lock may be
  // missing: sets of before find a lock that is free, and nobody else looks.
  void Abandon();
  // For tests that hang (pool_debug.cc).
  std::string DebugString();

 private:
  struct List {
    TaskSet* newest = nullptr;
    TaskSet* oldest = nullptr;
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

  alignas(64) std::atomic<std::uint64_t> spawned_{0};
  std::atomic<std::uint64_t> finished_{0};
  TaskQueue* next_stored_ = nullptr;
};

// Around fork(): the store of boxes stays as it is.
void LockQueueStoreForFork();
void UnlockQueueStoreAfterFork();

inline SpinLock& TaskSet::lock() {
  return queue_ != nullptr ? queue_->lock() : own_lock_;
}

// What a thread remembers that looks into boxes.
struct QueueSearch {
  unsigned claims = 0;
  int last_queue = 0;
};

// The boxes of a pool. Functions may be called by several threads.
class TaskQueues {
 public:
  // Threads beyond share boxes that are not exclusive.
  static constexpr int kMaxQueues = 64;
  static constexpr int kNumExclusive = 32;

  explicit TaskQueues(QueueBits* bits) : bits_(bits) {}
  ~TaskQueues();
  TaskQueues(const TaskQueues&) = delete;
  TaskQueues& operator=(const TaskQueues&) = delete;

  // A queue for the calling thread. What is in a returned one stays there.
  TaskQueue* Borrow();
  void Return(TaskQueue* queue);

  // Claims a task from any queue: `own` first, from the newest end. Prefers
  // high priority, but not every eighth time.
  ClaimedTask Claim(TaskQueue* own, QueueSearch* searcher);
  ClaimedTask ClaimWithin(RegionHandle ancestor, QueueSearch* searcher);

  // Whether all tasks that were given to the pool before have ended.
  bool AllFinished() const;

  // In the child of a fork. The object is given up, not destroyed.
  void AbandonAll();
  std::string DebugString() const;

 private:
  ClaimedTask ClaimOf(bool high, TaskQueue* own, QueueSearch* searcher);
  TaskQueue* At(int index) const {
    return queues_[index].load(std::memory_order_acquire);
  }

  QueueBits* const bits_;
  std::array<std::atomic<TaskQueue*>, kMaxQueues> queues_{};
  std::mutex mutex_;
  int num_queues_ = 0;
  int next_shared_ = kNumExclusive;
  std::vector<TaskQueue*> returned_;  // Exclusive ones.
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_QUEUE_H_
