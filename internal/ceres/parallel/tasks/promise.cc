// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The sets of promises: single tasks that nobody claims, because code outside
// of the runtime produces the result.
//
//  - End. The promise puts the result into the storage, then takes the count
//    out of pending_ (read-modify-write, release), as the thread that ends a
//    task does. The owner of the future reads the count (acquire) before the
//    result.
//  - Cancellation. stage_ decides between Cancel and the promise, by one
//    read-modify-write each, as for continuations. Only the promise ends the
//    set. So the promise may use the set until then, whatever the owner of the
//    future does: Abandon leaves the deletion to the thread that ends the set.
//  - Continuation. If the owner has given the future to a continuation before
//    the end, the set becomes a task that does nothing: it is counted again and
//    enqueued. The thread that claims it runs the chain, as for any first task
//    of a chain (continuation.cc). No other thread looks at the count
//    meanwhile, because the set belongs to the closure of the continuation. On
//    a foreign executor the chain runs in the thread that sets the promise: a
//    thread that waits there sleeps, and does not see that there is a task.
//  - Pool. A promise does not count as a task, so the destructor of the pool
//    would not wait for a thread in EndUnset. This thread counts as leaving
//    (leaving_threads.h) from before the end until its last access to the pool.
//    So does the owner of the future, which leaves as soon as it sees the end:
//    if the thread in EndUnset counted the owner only after the end, the owner
//    would have taken back the count of that thread.
//    (promise_protocol_test.cc runs the protocol in every interleaving.)

#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/pool/fresh_stack.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_queue.h"
#include "ceres/parallel/tasks/thread_queues.h"

namespace ceres::parallel::detail {

void TaskSet::LaunchUnset() {
  pending_.StartSingle(/*abandoned=*/false);
  stage_.store(Stage::kWaiting, std::memory_order_relaxed);
  is_refused_ = false;
  is_unset_ = true;
}

void TaskSet::EndUnset(Outcome result) noexcept {
  PoolState* const pool = this->pool();
  // This thread, and the owner of the future, which may leave as soon as it
  // sees the end.
  if (pool != nullptr) {
    pool->ExpectToLeave();
    pool->ExpectToLeave();
  }
  bool owner_leaves = false;
  outcome = result;
  if (!BeginContinuation()) {
    type_->destroy_result(this);
    outcome = Outcome::kCancelled;
  }
  const SingleEnd end =
      pending_.EndSingle([&owner_leaves] { owner_leaves = true; });
  if (end == SingleEnd::kAbandoned) {
    type_->destroy_result(this);
    Delete();
  } else if (end == SingleEnd::kContinued) {
    if (pool == nullptr) {
      RunContinuationHere();
    } else {
      pending_.Add(1);
      QueueOf(*pool).CountSpawned(1);
      Enqueue();
    }
  }
  if (pool == nullptr) return;
  pool->NoteTaskEnd();
  if (!owner_leaves) pool->HaveLeft();
  pool->HaveLeft();
}

void TaskSet::RunContinuationHere() noexcept {
  const auto run = [next = next_, region = handle()] {
    for (TaskSet* set = next; set != nullptr;) set = set->RunLink(region);
    return true;
  };
  try {
    IsStackLow() ? OnFreshStack(run) : run();
  } catch (const std::bad_alloc&) {
    run();
  }
}

bool TaskSet::IsUnwanted() const {
  return stage_.load(std::memory_order_relaxed) == Stage::kDropped ||
         pending_.IsAbandoned();
}

}  // namespace ceres::parallel::detail
