// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Continuations: single tasks that begin when another one has ended.
//
// clang-format off
//   first -> next -> next -> last        (Future::Then, three times)
// clang-format on
//
// A chain of continuations has one Future, the one of the last task. Each other
// set belongs to the closure of the next one, which takes its result.
//  - Start. The owner of `first` writes next_, then sets kContinued in pending_
//    (read-modify-write, release). The thread that ends `first` takes its count
//    out of the same word (acquire). If the owner comes first, that thread sees
//    the bit and runs the continuation itself, in a loop, so a chain of any
//    length takes the stack of one task. If that thread comes first, the owner
//    sees a count of zero and launches the continuation like any task.
//    So at most the first task of a chain is enqueued, and the thread that
//    claims it runs the whole chain. A thread that waits for the last task only
//    needs to try to claim the first.
//  - Regions. The tasks of a chain run as work of the first set. Its parent is
//    the last set. So regions that they open are within the first set, and
//    within any region that waits for the last set.
//  - Memory. The first set is kept until the last one is deleted. A thread that
//    waits for the last set may look at the first one, and other threads ask
//    for its parent. Then() passes the first set on from the previous last set.
//  - Dropping. stage_ decides between Cancel and the thread that would run the
//    continuation, by one read-modify-write each.

#include <utility>

#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_queue.h"
#include "ceres/parallel/tasks/thread_queues.h"

namespace ceres::parallel::detail {

void TaskSet::LaunchAfter(TaskSet* first) {
  pending_.StartSingle(/*abandoned=*/false);
  stage_.store(Stage::kWaiting, std::memory_order_relaxed);
  is_refused_ = false;
  if (IsTracing()) {
    RecordTraceMoment(TraceKind::kSpawn, TraceId(this), handle(), name(),
                      TraceTicks());
  }
  if (PoolState* const pool = this->pool()) QueueOf(*pool).CountSpawned(1);
  TaskSet* const inherited = std::exchange(first->chain_, nullptr);
  chain_ = inherited != nullptr ? inherited : first;
  // (Otherwise chain_ is kept already, and another thread may read is_kept_.)
  if (inherited == nullptr) first->is_kept_ = true;
  chain_->parent_.Set(handle());
  first->next_ = this;
  if (first->pending_.Continue()) return;
  // `first` has ended. This task is the first of a chain of its own.
  if (inherited == nullptr) first->is_kept_ = false;
  first->chain_ = inherited;
  chain_ = nullptr;
  stage_.store(Stage::kNone, std::memory_order_relaxed);
  Enqueue();
}

bool TaskSet::DropContinuation() {
  Stage expected = Stage::kWaiting;
  return stage_.compare_exchange_strong(expected, Stage::kDropped,
                                        std::memory_order_acq_rel,
                                        std::memory_order_relaxed);
}

// True: the caller runs the task. False: it was dropped.
bool TaskSet::BeginContinuation() {
  return stage_.load(std::memory_order_relaxed) == Stage::kNone ||
         stage_.exchange(Stage::kNone, std::memory_order_acq_rel) !=
             Stage::kDropped;
}

}  // namespace ceres::parallel::detail
