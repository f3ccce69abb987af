// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_THREAD_QUEUES_H_
#define CERES_INTERNAL_PARALLEL_TASKS_THREAD_QUEUES_H_

#include <cstdint>
#include <string>

#include "ceres/parallel/parking/work_source.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/sync/replaced_on_fork.h"
#include "ceres/parallel/tasks/task_queue.h"

namespace ceres::parallel::detail {

// The tasks of a pool, as its source of work, and which task queue each thread
// uses.
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
class ThreadQueues final : public WorkSource {
 public:
  explicit ThreadQueues(PoolState& pool)
      : pool_(pool), all_(&pool.queue_bits()) {}

  // The queue of the calling thread.
  static TaskQueue& OfThisThread(PoolState& pool) noexcept {
    return last_used.pool_id == pool.id() ? *last_used.queue : Find(pool);
  }
  // The thread that borrowed it ends.
  void Return(TaskQueue* queue) noexcept {
    if (last_used.queue == queue) last_used = {0, nullptr};
    all_->Return(queue);
  }

  ClaimedTask Claim(SourceSearch* search) override;
  ClaimedTask ClaimWithin(RegionHandle ancestor, SourceSearch* search) override;
  void Run(const ClaimedTask& claimed) override;
  bool RunAroundThisThread() override;
  bool AllFinished() const override { return all_->AllFinished(); }
  void ResetAfterFork() override;
  std::string DebugString() const override { return all_->DebugString(); }

 private:
  struct LastUsed {
    std::uint64_t pool_id;
    TaskQueue* queue;
  };
  static inline thread_local LastUsed last_used = {0, nullptr};

  static TaskQueue& Find(PoolState& pool) noexcept;

  PoolState& pool_;
  ReplacedOnFork<TaskQueues> all_;
};

// The queue of the calling thread in the pool.
inline TaskQueue& QueueOf(PoolState& pool) noexcept {
  return ThreadQueues::OfThisThread(pool);
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_THREAD_QUEUES_H_
