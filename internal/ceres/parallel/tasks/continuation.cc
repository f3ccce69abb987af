// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Continuations: single tasks that begin when another one has ended.
//
//   first -> next -> next -> last        (Future::Then, three times)
//
// A chain of continuations has one Future, that of the last task. Each other
// set belongs to the closure of the next one, which takes its result.
//  - Start. The owner of `first` writes next_, then sets kContinued in pending_
//    (read-modify-write, release); who ends `first` takes its count out of the
//    same word (acquire). If the owner comes first, the ender sees the bit and
//    runs the continuation itself, in a loop, so that a chain of any length
//    takes the stack of one task. If the ender comes first, the owner sees a
//    count of zero and launches the continuation like any task.
//    So of a chain at most the first task is offered to anybody, and a thread
//    that has claimed it runs the whole chain. A thread that waits for the last
//    one need only try to claim the first.
//  - Groups. The tasks of a chain run as work of the first set, whose parent is
//    the last set: what they start is within the first, and so within whatever
//    waits for the last.
//  - Memory. The first set is kept until the last one is deleted, because a
//    thread that waits for the last one may look at it, and others ask for its
//    parent. Then() hands it on from the task that was the last one.
//  - Dropping. stage_ decides between Cancel and the thread that comes to run
//    the continuation, by one read-modify-write each.

#include <utility>

#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_queue.h"

namespace ceres::parallel::detail {

void TaskSet::LaunchAfter(TaskSet* first) {
  pending_.StartSingle(/*abandoned=*/false);
  stage_.store(Stage::kWaiting, std::memory_order_relaxed);
  if (IsTracing()) {
    RecordTraceMoment(TraceKind::kSpawn, TraceId(this), handle(), name(),
                      TraceTicks());
  }
  if (PoolState* const pool = this->pool()) pool->Queue().CountSpawned(1);
  TaskSet* const inherited = std::exchange(first->chain_, nullptr);
  chain_ = inherited != nullptr ? inherited : first;
  // (Else it is known, and read by who runs the chain.)
  if (inherited == nullptr) first->is_kept_ = true;
  chain_->parent_.Set(handle());
  first->next_ = this;
  if (first->pending_.Continue()) return;
  // It has ended. This task is the first of a chain of its own.
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

// True: it is to run now.
bool TaskSet::BeginContinuation() {
  return stage_.load(std::memory_order_relaxed) == Stage::kNone ||
         stage_.exchange(Stage::kNone, std::memory_order_acq_rel) !=
             Stage::kDropped;
}

}  // namespace ceres::parallel::detail
