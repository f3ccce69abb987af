// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Sets of one task, which the set contains: futures and detached tasks.
//
// enqueued_ says that no thread has claimed the task; it is protected by the
// lock of the queue, with an executor by the set's own lock. The thread that
// claims the task runs it and takes the count out of pending_. If the owner of
// the future has abandoned it before, that thread also deletes the set.
//
// A pool may be destroyed while a thread waits for one of its futures: see
// leaving_threads.h. The waiting thread sets a bit in pending_ while the task
// has not ended. The thread that ends the task sees the bit, and counts one
// thread as leaving before it counts the task as ended.

#include "ceres/parallel/detail/gate.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/fresh_stack.h"
#include "ceres/parallel/pool/invite_executor.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_nodes.h"
#include "ceres/parallel/tasks/task_queue.h"
#include "ceres/parallel/tasks/thread_queues.h"

namespace ceres::parallel::detail {

TaskSet* TaskSet::NewSingle(PoolState* pool, Executor* executor,
                            Priority priority, const SingleTaskType* type) {
  TaskSet* const set = NewHeader(pool, executor, priority);
  set->type_ = type;
  set->outcome = Outcome::kNone;
  set->stage_.store(Stage::kNone, std::memory_order_relaxed);
  set->is_kept_ = false;
  set->chain_ = nullptr;
  return set;
}

void TaskSet::Launch(bool detached) {
  pending_.StartSingle(/*abandoned=*/detached);
  if (IsTracing()) {
    RecordTraceMoment(TraceKind::kSpawn, TraceId(this), handle(), name(),
                      TraceTicks());
  }
  if (PoolState* const pool = this->pool()) {
    QueueOf(*pool).CountSpawned(1);
    EnqueueInPool(pool);
  } else {
    LaunchOnExecutor(detached);
  }
}

void TaskSet::LaunchOnExecutor(bool detached) {
  const RegionHandle handle = this->handle();
  is_refused_ = false;
  if (InviteHost()) return;
  if (detached) {
    RunRefused(handle);
  } else {
    is_refused_ = true;
  }
}

inline void TaskSet::EnqueueInPool(PoolState* pool) {
  const RegionHandle handle = this->handle();
  {
    const SpinLock::Guard guard(queue_->lock());
    queue_->EnqueueLocked(this);
  }
  pool->NotifyEnqueued(handle);
}

// The task is counted, and may run.
void TaskSet::Enqueue() {
  if (PoolState* const pool = this->pool()) {
    EnqueueInPool(pool);
  } else {
    is_refused_ = !InviteHost();
  }
}

// If the host has taken the invitation, a detached task may be gone.
bool TaskSet::InviteHost() {
  const RegionHandle handle = this->handle();
  Executor* const host = executor();
  {
    const SpinLock::Guard guard(own_lock_);
    enqueued_.store(true, std::memory_order_relaxed);
  }
  return InviteExecutor(host, handle);
}

// Runs a task that no thread has begun and no thread will wait for.
void TaskSet::RunRefused(std::uint64_t handle) noexcept {
  const auto run = [handle] { return AcceptInvitation(handle); };
  try {
    IsStackLow() ? OnFreshStack(run) : run();
  } catch (const std::bad_alloc&) {
    run();
  }
}

bool TaskSet::ClaimSingle() {
  if (!enqueued_.load(std::memory_order_relaxed)) return false;
  const SpinLock::Guard guard(lock());
  if (!enqueued_.load(std::memory_order_relaxed)) return false;
  if (queue_ != nullptr) {
    queue_->DequeueLocked(this);
  } else {
    enqueued_.store(false, std::memory_order_relaxed);
  }
  return true;
}

void TaskSet::RunTraced() noexcept {
  const std::int64_t begin = BeginTraceSlice();
  type_->run(this);
  EndTraceSlice(TraceKind::kTask, begin, TraceId(this), handle());
}

// In a thread that has claimed the task and does not own its future: runs it
// and its continuations.
void TaskSet::RunSingle() noexcept {
  const std::uint64_t region = handle();
  TaskSet* set = this;
  while (set != nullptr) set = set->RunLink(region);
}

// Returns the continuation, if there is one.
TaskSet* TaskSet::RunLink(std::uint64_t region) noexcept {
  PoolState* const pool = this->pool();
  Gate* const gate = is_observed_ ? gate_ : nullptr;
  const std::uint32_t gate_index = gate_index_;
  {
    const Participation participation(pool, region);
    if (BeginContinuation()) {
      RunTraced();
    } else {
      type_->destroy_closure(this);
      outcome = Outcome::kCancelled;
    }
  }
  TaskQueue* const queue = pool != nullptr ? &QueueOf(*pool) : nullptr;
  const SingleEnd end = pending_.EndSingle([pool] {
    if (pool != nullptr) pool->ExpectToLeave();
  });
  TaskSet* next = nullptr;
  if (end == SingleEnd::kContinued) {
    next = next_;
  } else if (end == SingleEnd::kAbandoned) {
    type_->destroy_result(this);
    Delete();
  }
  if (gate != nullptr) gate->Signal(gate_index);
  if (pool == nullptr) return next;
  pool->NoteTaskEnd();
  // The pool may be destroyed as soon as this is seen, unless there is a
  // continuation.
  queue->CountFinished(1);
  return next;
}

// In the thread that owns the future, and has claimed the task.
void TaskSet::RunSingleHere() noexcept {
  PoolState* const pool = this->pool();
  {
    const Participation participation(pool, handle());
    RunTraced();
  }
  pending_.Reset();
  if (has_executor_ || is_observed_) {
    EndHereSpecial();
  } else {
    pool->NoteTaskEnd();
    QueueOf(*pool).CountFinished(1);
  }
}

// Called by the thread that has ended the set and owns it.
void TaskSet::EndHereSpecial() {
  if (is_observed_) gate_->Signal(gate_index_);
  if (PoolState* const pool = this->pool()) {
    pool->NoteTaskEnd();
    QueueOf(*pool).CountFinished(1);
  }
}

bool TaskSet::Await(Clock::time_point deadline) {
  const std::int64_t begin = BeginTraceSlice();
  const bool ended = IsQuiet() || (IsStackLow() ? WaitOnFreshStack(deadline)
                                                : AwaitEnd(deadline));
  EndTraceSlice(TraceKind::kWait, begin, handle());
  return ended;
}

bool TaskSet::AwaitEnd(Clock::time_point deadline) {
  // If this thread runs the task, it continues after the task, not at the
  // deadline.
  if (ClaimSingle()) {
    parent_.Set(RegionOfThisThread());
    RunSingleHere();
    return true;
  }
  if (chain_ != nullptr && chain_->ClaimSingle()) {
    parent_.Set(RegionOfThisThread());
    chain_->RunSingle();
    return true;
  }
  TaskSet* const head = Head();
  return head->is_held_ ? AwaitHeld(head, deadline) : AwaitOthers(deadline);
}

// `head` is the task of WhenAll or WhenAny, for which this set waits.
bool TaskSet::AwaitHeld(TaskSet* head, Clock::time_point deadline) {
  switch (head->gate_->HelpInputs(deadline)) {
    case Gate::Help::kTimedOut:
      return IsQuiet();
    case Gate::Help::kOpened:
      if (!head->ClaimSingle()) return AwaitOthers(deadline);
      break;
    case Gate::Help::kTaken:
      break;
  }
  parent_.Set(RegionOfThisThread());
  head == this ? RunSingleHere() : head->RunSingle();
  return true;
}

bool TaskSet::AwaitOthers(Clock::time_point deadline) {
  CheckNotInside();
  if (deadline == Clock::time_point::max()) parent_.Set(RegionOfThisThread());
  PoolState* const pool = this->pool();
  if (pool == nullptr) return WaitWithoutPool(deadline);
  if (!pending_.BeginToAwait()) return true;
  const auto is_quiet = [](void* set) {
    return static_cast<TaskSet*>(set)->IsQuiet();
  };
  // Any task may set a promise.
  const bool ended = Head()->is_unset_
                         ? pool->HelpUntil(is_quiet, this, deadline)
                         : WaitForOthers(deadline);
  if (!ended && pending_.GiveUp()) return false;
  pool->HaveLeft();
  return true;
}

bool TaskSet::CancelSingle() {
  if (IsQuiet()) return false;
  if (!ClaimSingle() && !(is_held_ && gate_->Take())) return DropContinuation();
  type_->destroy_closure(this);
  outcome = Outcome::kCancelled;
  pending_.Reset();
  EndHereSpecial();
  return true;
}

inline void TaskSet::DropResult() {
  type_->destroy_result(this);
  if (!is_kept_) Delete();
}

void TaskSet::Abandon() {
  if (!IsQuiet()) {
    AbandonUnfinished();
  } else {
    DropResult();
  }
}

void TaskSet::AbandonUnfinished() {
  TaskSet* const first = Head();
  if (has_executor_ && first->is_refused_) RunRefused(first->handle());
  if (first->is_held_ && first->gate_->BeginInputs()) {
    first == this ? RunSingleHere() : first->RunSingle();
  }
  if (pending_.Abandon()) DropResult();
}

}  // namespace ceres::parallel::detail
