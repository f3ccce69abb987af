// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/task_set.h"

#include <algorithm>
#include <new>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/gate.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/pool/fresh_stack.h"
#include "ceres/parallel/pool/invite_executor.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_batch.h"
#include "ceres/parallel/tasks/task_nodes.h"
#include "ceres/parallel/tasks/task_queue.h"
#include "ceres/parallel/tasks/thread_queues.h"
#include "ceres/parallel/thread_pool.h"

// Why it is correct
//  - Claims. The list of tasks, `queued`, `active`, and whether the set is
//    enqueued, are under the lock of the set's queue (task_queue.h), or, if the
//    host is an executor, under the set's own lock. A task is popped by one
//    thread. The single task of a future is claimed by removing the set from
//    its queue. A task in a batch is under the lock of the batch, too
//    (task_batch.h); putting it back takes both locks. A thread that leaves the
//    set with tasks in its batch puts them back first.
//  - Completion. A task is counted in pending_ before it can be claimed, and
//    discounted (release) after it has run, as the last access of its thread to
//    the set. A thread that reads a count of zero (acquire) sees all that the
//    tasks did, and may delete the set. A thread that runs several tasks
//    discounts them together; until then it may use the set.
//  - Sleep. A thread that waits sets the sleeper bit of pending_ by
//    read-modify-write, looks once more for tasks of the set (under its lock),
//    and sleeps only while the word is as it was. The thread that ends the last
//    task reads the bit in its own read-modify-write: the one that comes second
//    sees the other. A thread that pushes puts the tasks in under the lock and
//    then reads the bit: if the sleeper's last look came first under the lock,
//    the thread sees the bit, else the sleeper sees the tasks. The thread
//    clears the bit before it wakes, so that a sleeper that has looked, but
//    does not sleep yet, finds the word changed. A thread that has waited
//    clears the bit if nothing is pending.
//  - Deletion. Only the owner deletes, when nothing is pending; then the set is
//    not enqueued. Other threads access a set under the lock of its queue while
//    it is enqueued, or after they have claimed a task of it.
//  - Late invitations of an executor take the set's own lock, which outlives
//    the set, and then compare handles; the handle changes under the lock
//    before the memory is used again.
//  - Parents, and who may run what: task_wait.cc.

namespace ceres::parallel::detail {

TaskSet* TaskSet::NewHeader(PoolState* pool, Executor* executor,
                            Priority priority) {
  if (executor != nullptr) {
    if (ThreadPool* const thread_pool = executor->AsThreadPool()) {
      pool = &thread_pool->state();
      executor = nullptr;
    }
  }
  TaskQueue* const queue = pool != nullptr ? &QueueOf(*pool) : nullptr;
  TaskSet* const set = TakeTaskSet();
  set->handle_.store(NextHandle(set->handle()), std::memory_order_relaxed);
  set->parent_.Reset();
  set->has_executor_ = executor != nullptr;
  set->host_.store(executor != nullptr ? static_cast<void*>(executor) : pool,
                   std::memory_order_relaxed);
  set->is_high_ = priority == Priority::kHigh;
  set->is_named_ = false;
  set->is_unset_ = false;
  set->is_held_ = false;
  set->is_observed_ = false;
  set->queue_ = queue;
  set->enqueued_.store(false, std::memory_order_relaxed);
  set->pending_.Reset();
  return set;
}

TaskSet* TaskSet::New(PoolState* pool, Executor* executor, Priority priority,
                      int max_threads) {
  TaskSet* const set = NewHeader(pool, executor, priority);
  set->type_ = nullptr;
  static_assert(sizeof(Group) <= kStorageSize);
  Group* const group = new (set->storage_) Group;
  group->max_threads = std::max(0, max_threads);
  return set;
}

const char* TaskSet::name() const {
  if (!is_single()) return group().name;
  return is_named_ ? *reinterpret_cast<const char* const*>(storage_) : nullptr;
}

void TaskSet::Delete() {
  if (!is_single()) {
    group().~Group();
  } else if (chain_ != nullptr) {
    chain_->Delete();
  }
  if (has_executor_ || is_held_) {
    DeleteSpecial();
  } else {
    GiveTaskSet(this);
  }
}

void TaskSet::DeleteSpecial() {
  if (is_held_) gate_->Unref();
  if (has_executor_) {
    const SpinLock::Guard guard(own_lock_);
    handle_.store(NextHandle(handle()), std::memory_order_relaxed);
  }
  GiveTaskSet(this);
}

std::uint64_t TaskSet::ParentOf(std::uint64_t handle) {
  const TaskSet* const set = Of(handle);
  if (set == nullptr || set->handle_.load(std::memory_order_acquire) != handle)
    return 0;
  const std::uint64_t parent = set->parent_.Get();
  return set->handle() == handle ? parent : 0;
}

bool TaskSet::IsOfPool(std::uint64_t handle, const PoolState* pool) {
  const TaskSet* const set = Of(handle);
  return set != nullptr &&
         set->handle_.load(std::memory_order_acquire) == handle &&
         set->host() == pool;
}

inline bool TaskSet::IsFullLocked() const {
  const Group& g = group();
  return g.max_threads > 0 &&
         g.active.load(std::memory_order_relaxed) >= g.max_threads;
}

inline void TaskSet::EnqueueLocked() {
  if (queue_ != nullptr && !enqueued_.load(std::memory_order_relaxed)) {
    queue_->EnqueueLocked(this);
  }
}

// Keeps the invariant of task_queue.h.
void TaskSet::DequeueIfDoneLocked() {
  const Group& g = group();
  const bool has_tasks = g.oldest != nullptr ||
                         g.batches.load(std::memory_order_relaxed) != nullptr;
  if (enqueued_.load(std::memory_order_relaxed) &&
      (!has_tasks || IsFullLocked())) {
    queue_->DequeueLocked(this);
  }
}

// Puts the tasks of batches back if the list is empty.
bool TaskSet::HasAnyLocked() {
  if (group().oldest == nullptr) PutBatchesBackLocked();
  return group().oldest != nullptr;
}

// `group`: a TaskSet::Group that has a task.
template <typename G>
CERES_PARALLEL_ALWAYS_INLINE Task* PopNewest(G* group) {
  Task* const task = group->newest;
  group->newest = task->older;
  if (group->newest != nullptr) {
    group->newest->newer = nullptr;
  } else {
    group->oldest = nullptr;
    group->invited = false;
  }
  group->queued.store(group->queued.load(std::memory_order_relaxed) - 1,
                      std::memory_order_relaxed);
  return task;
}

Task* TaskSet::PopLocked(bool newest) {
  Group& g = group();
  if (g.newest == nullptr) return nullptr;
  if (newest || g.newest == g.oldest) return PopNewest(&g);
  Task* const task = g.oldest;
  g.oldest = task->newer;
  g.oldest->older = nullptr;
  g.queued.store(g.queued.load(std::memory_order_relaxed) - 1,
                 std::memory_order_relaxed);
  return task;
}

// All records have the same time: reading the clock takes most of the time of a
// record. (The last record, mostly the only one, is a tail call.)
void TaskSet::TraceSpawns(const Task* newest, int count) const {
  const base::Ticks now = base::Now();
  for (; count > 1; --count, newest = newest->older) {
    RecordTraceSpawn(TraceId(newest), handle(), group().name, now);
  }
  RecordTraceSpawn(TraceId(newest), handle(), group().name, now);
}

void TaskSet::Push(Task* newest, Task* oldest, int count) {
  // First of all: after a read-modify-write, reading the clock takes longer.
  if (IsTracing()) TraceSpawns(newest, count);
  PoolState* const pool = this->pool();
  TaskQueue* const queue = pool != nullptr ? &QueueOf(*pool) : nullptr;
  if (queue != nullptr) queue->CountSpawned(count);
  newest->newer = nullptr;
  for (Task* task = newest; task != oldest; task = task->older) {
    task->older->newer = task;
  }
  bool invite = false;
  pending_.Push(static_cast<std::uint32_t>(count), [&] {
    const SpinLock::Guard guard(lock());
    Group& g = group();
    oldest->older = g.newest;
    (g.newest != nullptr ? g.newest->newer : g.oldest) = oldest;
    g.newest = newest;
    g.newest_from = queue;
    g.queued.store(g.queued.load(std::memory_order_relaxed) + count,
                   std::memory_order_relaxed);
    if (!IsFullLocked()) {
      EnqueueLocked();
      invite = queue == nullptr && !std::exchange(g.invited, true);
    }
  });
  if (pool != nullptr) {
    pool->NotifyEnqueued(handle());
  } else if (invite) {
    InviteExecutor(executor(), handle());
  }
}

void TaskSet::AddPending(int count) {
  if (PoolState* const pool = this->pool()) QueueOf(*pool).CountSpawned(count);
  pending_.Add(static_cast<std::uint32_t>(count));
}

void TaskSet::Finish(int count) {
  PoolState* const pool = this->pool();
  TaskQueue* const queue = pool != nullptr ? &QueueOf(*pool) : nullptr;
  pending_.Discount(static_cast<std::uint32_t>(count));
  if (pool == nullptr) return;
  pool->NoteTaskEnd();
  // The pool may be destroyed as soon as this is seen.
  queue->CountFinished(count);
}

Task* TaskSet::TakeAll(int* count) {
  const SpinLock::Guard guard(lock());
  PutBatchesBackLocked();
  Group& g = group();
  *count = g.queued.load(std::memory_order_relaxed);
  g.queued.store(0, std::memory_order_relaxed);
  g.oldest = nullptr;
  g.invited = false;
  DequeueIfDoneLocked();
  return std::exchange(g.newest, nullptr);
}

Task* TaskSet::ClaimForOwnUse() {
  Group& g = group();
  if (!HasTasksForMe()) return nullptr;
  PoolState* const pool = this->pool();
  const TaskQueue* const queue = pool != nullptr ? &QueueOf(*pool) : nullptr;
  const SpinLock::Guard guard(lock());
  if (IsFullLocked()) return nullptr;
  HasAnyLocked();
  Task* const task = PopLocked(/*newest=*/g.newest_from == queue);
  if (task != nullptr) ChangeActiveLocked(1);
  DequeueIfDoneLocked();
  return task;
}

Task* TaskSet::ClaimSome(int max) {
  Group& g = group();
  if (g.queued.load(std::memory_order_relaxed) < 4) return nullptr;
  PoolState* const pool = this->pool();
  const TaskQueue* const queue = pool != nullptr ? &QueueOf(*pool) : nullptr;
  Task* first = nullptr;
  Task* last = nullptr;
  int count = 0;
  {
    const SpinLock::Guard guard(lock());
    const int share = g.queued.load(std::memory_order_relaxed) / 4;
    const bool newest = g.newest_from == queue;
    for (; count < max && count < share; ++count) {
      Task* const task = PopLocked(newest);
      (last != nullptr ? last->older : first) = task;
      last = task;
    }
    if (last != nullptr) last->older = nullptr;
    DequeueIfDoneLocked();
  }
  // The calling task keeps the set from ending.
  if (count > 0) Finish(count);
  return first;
}

// For a thread that has run a task of the set, and whose batch is empty: the
// next task. Null: the thread leaves the set, and tasks in its batch are put
// back.
Task* TaskSet::ClaimNext(TaskQueue* queue, bool leave, TaskBatch* batch) {
  Group& g = group();
  // A push after the caller's look enqueues the set.
  if (leave && g.max_threads == 0 && !batch->registered_before) return nullptr;
  bool is_enqueued = false;
  {
    const SpinLock::Guard guard(lock());
    if (batch->in_use) PutBatchesBackLocked();
    UnregisterLocked(batch);
    batch->in_use = batch->registered_before = false;
    Task* task = nullptr;
    if (!leave) {
      const bool newest = g.newest_from == queue;
      task = PopLocked(newest);
      if (task != nullptr) FillLocked(batch, newest);
    }
    if (task != nullptr || g.max_threads == 0) {
      DequeueIfDoneLocked();
      return task;
    }
    // While the set was at its thread limit, it was not enqueued.
    ChangeActiveLocked(-1);
    is_enqueued = HasAnyLocked();
    if (is_enqueued) EnqueueLocked();
    DequeueIfDoneLocked();
  }
  if (is_enqueued && queue != nullptr) pool()->NotifyEnqueued(handle());
  // A thread may sleep because the set was at its thread limit.
  pending_.RouseIfAsleep();
  return nullptr;
}

// Whether a thread must not begin another task of the set.
inline bool TaskSet::IsWantedElsewhere(Runner runner,
                                       Clock::time_point deadline) const {
  if (runner == Runner::kWaiter) {
    return deadline != Clock::time_point::max() && SteadyNow() > deadline;
  }
  const PoolState* const pool = this->pool();
  return pool != nullptr && !is_high_ &&
         pool->queue_bits().Of(/*high=*/true) != 0;
}

void TaskSet::RunTasks(Task* first, Runner runner,
                       Clock::time_point deadline) noexcept {
  PoolState* const pool = this->pool();
  TaskQueue* const queue = pool != nullptr ? &QueueOf(*pool) : nullptr;
  TaskBatch batch;
  base::Ticks start = 0;  // Of a helper's second task.
  int count = 0;
  std::int64_t trace_begin = BeginTraceSlice();
  {
    const Participation participation(pool, handle());
    for (Task* task = first; task != nullptr; ++count) {
      const std::uint64_t id = TraceId(task);
      task->run(task);
      trace_begin = NextTraceTask(trace_begin, id, handle());
      if (pool != nullptr) pool->NoteTaskEnd();
      bool leave = IsWantedElsewhere(runner, deadline);
      task = leave ? nullptr : batch.Pop();
      if (task != nullptr) continue;
      const int queued = group().queued.load(std::memory_order_relaxed);
      leave |= queued == 0;
      // Reading the clock takes as long as a short task.
      if (!leave && queued >= kFewestForBatch) {
        batch.Adapt(base::Now());
      } else {
        batch.begun = 0;
      }
      if (runner == Runner::kHelper && !leave && count % kTasksInARow == 0) {
        const base::Ticks now = base::Now();
        if (start == 0) start = now;
        leave = pool != nullptr && base::Nanoseconds(now - start) > kTimeInARow;
      }
      task = ClaimNext(queue, leave, &batch);
    }
  }
  Finish(count);
}

bool TaskSet::RunOwnTasks(Clock::time_point deadline) {
  if (!has_executor_ && deadline == Clock::time_point::max() &&
      group().max_threads == 0 && !IsTracing()) {
    // The usual case in a recursion: a thread adds a few tasks, and waits.
    PoolState* const pool = this->pool();
    const TaskQueue* const queue = &QueueOf(*pool);
    // The newest task, if this thread has added it, and there are too few for a
    // batch.
    const auto claim = [this, queue]() -> Task* {
      Group& g = group();
      const int queued = g.queued.load(std::memory_order_relaxed);
      if (queued == 0 || queued >= kFewestForBatch) return nullptr;
      const SpinLock::Guard guard(lock());
      if (g.newest == nullptr || g.newest_from != queue) return nullptr;
      Task* const task = PopNewest(&g);
      if (g.newest == nullptr) DequeueIfDoneLocked();
      return task;
    };
    if (Task* task = claim()) {
      int count = 0;
      {
        const Participation participation(pool, handle());
        for (; task != nullptr; task = claim(), ++count) {
          task->run(task);
          pool->NoteTaskEnd();
        }
      }
      Finish(count);
      return true;
    }
  }
  Task* const task = ClaimForOwnUse();
  if (task == nullptr) return false;
  RunTasks(task, Runner::kWaiter, deadline);
  return true;
}

Task* TaskSet::ClaimBeyondLimit() {
  const SpinLock::Guard guard(lock());
  if (!IsFullLocked() || !HasAnyLocked()) return nullptr;
  Task* const task = PopLocked(/*newest=*/false);
  ChangeActiveLocked(1);
  DequeueIfDoneLocked();
  return task;
}

// The thread counts once more in `active`, until it leaves the nested tasks: as
// long as it runs them, the frames below it do not.
bool TaskSet::RunBeyondLimit(std::uint64_t handle, const PoolState* pool) {
  TaskSet* const set = Of(handle);
  if (set->pool() != pool || set->is_single() || set->NumQueued() == 0) {
    return false;
  }
  Task* const task = set->ClaimBeyondLimit();
  if (task == nullptr) return false;
  const auto run = [set, task] {
    set->RunTasks(task, Runner::kHelper);
    return true;
  };
  try {
    return IsStackLow() ? OnFreshStack(run) : run();
  } catch (const std::bad_alloc&) {
    return run();
  }
}

bool TaskSet::AcceptInvitation(std::uint64_t handle) noexcept {
  // A host may accept inside Invite, within the task that has pushed other
  // tasks. Without a limit, the frames of all tasks would pile up on one stack.
  constexpr int kMaxNested = 32;
  static thread_local int num_nested = 0;
  TaskSet* const set = Of(handle);
  if (set == nullptr) return false;
  Task* task = nullptr;
  bool invite = false;
  {
    const SpinLock::Guard guard(set->own_lock_);
    // Sets of pools send no invitations.
    if (set->handle() != handle || !set->has_executor_) return false;
    if (set->is_single()) {
      if (!set->enqueued_.load(std::memory_order_relaxed)) return false;
      set->enqueued_.store(false, std::memory_order_relaxed);
    } else {
      Group& g = set->group();
      if (set->IsFullLocked() || num_nested == kMaxNested) {
        // The next push may invite again.
        g.invited = false;
        return false;
      }
      task = set->PopLocked(/*newest=*/false);
      if (task == nullptr) return false;
      set->ChangeActiveLocked(1);
      // A helper that joins calls the next one.
      invite = g.oldest != nullptr && !set->IsFullLocked();
      if (invite) g.invited = true;
    }
  }
  if (task == nullptr) {
    set->RunSingle();
    return true;
  }
  ++num_nested;
  if (invite) InviteExecutor(set->executor(), handle);
  set->RunTasks(task, Runner::kHelper);
  --num_nested;
  return true;
}

void TaskSet::KeepError(std::exception_ptr error) noexcept {
  // A thread that waits for earlier tasks may be looking.
  const SpinLock::Guard guard(lock());
  Group& g = group();
  if (g.failed.load(std::memory_order_relaxed)) return;
  g.error = std::move(error);
  g.failed.store(true, std::memory_order_relaxed);
}

std::exception_ptr TaskSet::TakeError() noexcept {
  Group& g = group();
  if (!g.failed.load(std::memory_order_relaxed)) return nullptr;
  const SpinLock::Guard guard(lock());
  if (!g.failed.load(std::memory_order_relaxed)) return nullptr;
  g.failed.store(false, std::memory_order_relaxed);
  return std::exchange(g.error, nullptr);
}

}  // namespace ceres::parallel::detail
