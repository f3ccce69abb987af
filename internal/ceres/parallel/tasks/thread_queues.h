// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_THREAD_QUEUES_H_
#define CERES_INTERNAL_PARALLEL_TASKS_THREAD_QUEUES_H_

#include <cstdint>

#include "ceres/parallel/pool/replaced_on_fork.h"
#include "ceres/parallel/tasks/task_queue.h"

namespace ceres::parallel::detail {

class PoolState;

// The phase of a thread. A thread that ends, or calls exit(), destroys its
// thread-local objects first. Then it has returned its queues, and runs
// destructors of thread-local or static objects. A thread that uses the runtime
// for the first time inside exit() is ending, too.
enum class ThreadPhase { kUnknown, kAlive, kEnding };
ThreadPhase PhaseOfThisThread();
// Makes the calling thread known: alive or ending.
void NoteThisThread();

// Which task queue of a pool each thread uses.
//
// A thread borrows a queue when it first needs one, and returns it when it
// ends. The queue that it used last is remembered in a thread-local variable,
// with the id of the pool: no two pools of a process, and no pool before and
// after a fork, have the same id. So a stale entry never matches.
//
// A thread that is ending borrows a queue for good, because no thread is left
// to return it. A thread for which there is no memory shares the first queue,
// which every pool has: so tasks end, are cancelled and are waited for without
// memory.
class ThreadQueues {
 public:
  ThreadQueues(PoolState* pool, QueueBits* bits);
  ThreadQueues(const ThreadQueues&) = delete;
  ThreadQueues& operator=(const ThreadQueues&) = delete;

  // The queue of the calling thread.
  TaskQueue& OfThisThread() noexcept {
    return last_used.pool_id == id_ ? *last_used.queue : Find();
  }
  // The thread that borrowed it ends.
  void Return(TaskQueue* queue) {
    if (last_used.queue == queue) last_used = {0, nullptr};
    all_->Return(queue);
  }
  TaskQueues& all() { return *all_.get(); }
  std::uint64_t pool_id() const { return id_; }

  // In the child of a fork. Tasks in the queues run in the parent.
  void ResetAfterFork();

 private:
  struct LastUsed {
    std::uint64_t pool_id;
    TaskQueue* queue;
  };
  static inline thread_local LastUsed last_used = {0, nullptr};

  TaskQueue& Find() noexcept;

  PoolState* const pool_;
  QueueBits* const bits_;
  std::uint64_t id_;
  ReplacedOnFork<TaskQueues> all_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_THREAD_QUEUES_H_
