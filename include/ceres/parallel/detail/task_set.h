// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_TASK_SET_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_TASK_SET_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "ceres/parallel/detail/compiler.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/pending_word.h"
#include "ceres/parallel/detail/spin_lock.h"
#include "ceres/parallel/task_options.h"

// A task set: work whose tasks are added one by one. (The pieces of a loop are
// known at once, see region.h.) A TaskGroup is a task set. A Future is a task
// set with a single task, which the set contains. A run of a TaskGraph is a
// task set of the nodes that are ready.
//
// The set holds its unclaimed tasks in a list. If the host is a pool, the set
// is enqueued, once, in the task queue of the thread that made the set. Threads
// that search for work look into these queues (task_queue.h). Invariant: a task
// set is enqueued if and only if it has unclaimed tasks and its thread limit is
// not reached. With a foreign Executor the set is in no queue. It sends
// invitations to the executor instead.

namespace ceres::parallel {
class Executor;
class ThreadPool;

namespace detail {

class Gate;
class TaskQueue;
class PoolState;
// Exported here: GCC does not accept the attribute beside alignas.
class CERES_PARALLEL_EXPORT TaskSet;
struct TaskBatch;

// A task of a set, in memory of its owner. From the claim on it belongs to the
// thread that has claimed it. run() must not throw, and may free the task.
// run() does not call TaskSet::Finish: the calling thread does so, after it has
// claimed its next task.
struct Task {
  Task* older = nullptr;  // In the set's list.
  Task* newer = nullptr;
  void (*run)(Task* task) = nullptr;
};

// The operations of the single task of a Future. The closure is in storage().
struct SingleTaskType {
  void (*run)(TaskSet* set);              // Puts the result in its place.
  void (*destroy_closure)(TaskSet* set);  // It will not run.
  void (*destroy_result)(TaskSet* set);
};

// The way in which a single task ended.
enum class Outcome : std::uint8_t {
  kNone,
  kValue,
  kError,
  kCancelled,
  kBroken,  // Its Promise was destroyed.
};

// Some cache lines in memory that never returns to the system and is reused
// for other sets. An epoch in the handle tells the uses apart, so a late
// invitation is harmless. Why it is correct: see task_set.cc and task_queue.h.
class alignas(64) TaskSet {
 public:
  using Clock = std::chrono::steady_clock;
  // A Group (below) fits. MSVC's std::exception_ptr has two pointers.
  static constexpr std::size_t kStorageSize = sizeof(std::exception_ptr) >
                                                      sizeof(void*)
                                                  ? 128
                                                  : 64;

  // --- For all sets. ---

  // pool or executor is given, not both. An executor that is a ThreadPool is
  // taken for that. max_threads: 0 or less means as many as there are.
  static TaskSet* New(PoolState* pool, Executor* executor, Priority priority,
                      int max_threads = 0);
  // For a new set that ends before `object` does, whose destructor waits: if
  // the object lies in a stack frame of the calling thread's present work, the
  // region for which the thread works is the parent of the set.
  void EndsWith(const void* object);
  // Nothing is pending, and no other thread uses the set. Its host may be gone
  // only if it never had a task.
  void Delete();

  // Adds tasks that may run at once, linked by `older` from newest to oldest,
  // and makes sure that a thread runs them: enqueues the set, wakes a worker if
  // no worker searches, wakes a thread that sleeps in Wait. Counts the tasks as
  // pending. The caller keeps the set from ending until Push has returned.
  void Push(Task* newest, Task* oldest, int count);
  // Keeps the set pending without a task, as a graph's run does until its last
  // node. Undone by Finish(count).
  void AddPending(int count);
  // `count` that were pending have ended, or were dropped: may end the set. The
  // caller's last access. Not for tasks that were claimed by the set itself.
  void Finish(int count);

  // Within a task of the set: takes unclaimed tasks, at most `max` and a
  // quarter of them, linked by `older` in the order in which this thread would
  // run them. They count as a part of the calling task.
  Task* ClaimSome(int max);
  // Unclaimed tasks: a hint.
  int NumQueued() const {
    return group().queued.load(std::memory_order_relaxed);
  }

  // Threads that run tasks of the set, if their number is limited, else 0: a
  // hint.
  int NumActive() const {
    return group().active.load(std::memory_order_relaxed);
  }

  // Takes all unclaimed tasks; returns them linked by `older`, for the caller
  // to destroy and Finish.
  Task* TakeAll(int* count);

  // Returns when nothing is pending. Runs tasks of the set, then tasks, loops
  // and forks for which tasks of the set wait; then spins for a bounded time,
  // then sleeps. Inside a task of the set: runs the unclaimed tasks, then
  // throws std::logic_error. Returns false at the deadline, if a task has not
  // ended.
  bool Wait(Clock::time_point deadline = Clock::time_point::max());

  bool IsQuiet() const {  // Nothing pending (acquire; more: task_wait.cc).
    return pending_.IsQuiet();
  }

  // The first exception wins.
  void KeepError(std::exception_ptr error) noexcept;
  // Null if there is none. Nothing is pending.
  std::exception_ptr TakeError() noexcept;
  void Cancel() noexcept {
    group().cancelled.store(true, std::memory_order_relaxed);
  }
  void Uncancel() noexcept {
    group().cancelled.store(false, std::memory_order_relaxed);
  }
  bool IsCancelled() const {
    return group().cancelled.load(std::memory_order_relaxed);
  }

  // The value of Participation::region while a task of the set runs: the parent
  // of all regions that the task waits for (IsWithin in region_handle.h).
  std::uint64_t handle() const {
    return handle_.load(std::memory_order_relaxed);
  }
  void SetName(const char* name) { group().name = name; }
  PoolState* pool() const {
    return has_executor_ ? nullptr : static_cast<PoolState*>(host());
  }
  Executor* executor() const {
    return has_executor_ ? static_cast<Executor*>(host()) : nullptr;
  }

  // --- For sets of a single task (single_task.cc). ---

  // Put the closure in storage(), then Launch.
  static TaskSet* NewSingle(PoolState* pool, Executor* executor,
                            Priority priority, const SingleTaskType* type);
  // Makes the task known to other threads. If `detached`, the caller must not
  // use the set afterwards.
  void Launch(bool detached);
  // Launch for a continuation, when the task of `first` has ended
  // (continuation.cc). The caller owns `first`, and the closure takes it.
  void LaunchAfter(TaskSet* first);
  // In the place of Launch, for the set of a Promise: nobody can claim its
  // task.
  void LaunchUnset();
  // Ends the set of a Promise, whose result is in its place: launches its
  // continuation. The caller's last access. (promise.cc)
  void EndUnset(Outcome result) noexcept;
  // Returns whether nobody will take the result that a Promise sets.
  bool IsUnwanted() const;
  // In the place of Launch, for the task of WhenAll or WhenAny: the gate
  // launches it when it opens (gate.cc).
  void LaunchHeld(Gate* gate);
  // The gate hears of the end of the task. Before the launch.
  void Observe(Gate* gate, std::uint32_t index) {
    is_observed_ = true;
    gate_ = gate;
    gate_index_ = index;
  }
  // In the place of Launch: the owner has given up.
  void DropUnlaunched() {
    type_->destroy_closure(this);
    Delete();
  }

  // Runs the task here if it is unclaimed, else waits for its end, as Wait.
  bool Await(Clock::time_point deadline);
  // Drops the task if it is unclaimed, and returns whether it did.
  bool CancelSingle();
  // For the owner, which must not use the set afterwards: destroys the result
  // if the task has ended. Otherwise the task still runs: here, if its executor
  // has refused it.
  void Abandon();

  Priority priority() const {
    return is_high_ ? Priority::kHigh : Priority::kNormal;
  }
  void* storage() { return storage_; }
  // The first bytes of the storage are a const char*, for traces.
  void MarkNamed() { is_named_ = true; }
  const char* name() const;  // Null if there is none.
  Outcome outcome = Outcome::kNone;

  // --- For threads that search for work. ---

  // The set of a handle, which may have ended; null if there never was one.
  static TaskSet* Of(std::uint64_t handle);
  // Helps the set of an executor, if it has not ended and has unclaimed tasks.
  static bool AcceptInvitation(std::uint64_t handle) noexcept;
  // The region that cannot end before the set of the handle does, because its
  // work waits for the set; 0 if there is none, or the set has ended.
  static std::uint64_t ParentOf(std::uint64_t handle);
  // Returns true if the set has not ended and its tasks were given to the pool.
  static bool IsOfPool(std::uint64_t handle, const PoolState* pool);
  // Wakes threads that sleep in Wait, although nothing has changed for the set.
  void Rouse() { pending_.Rouse(); }

  // In the thread that has claimed `first`: runs it, and other tasks of the
  // set.
  enum class Runner { kHelper, kWaiter };
  void RunTasks(Task* first, Runner runner,
                Clock::time_point deadline = Clock::time_point::max()) noexcept;
  void RunSingle() noexcept;
  // In a thread whose work cannot end before the set does, because it is a task
  // of the set or something that such a task waits for: runs tasks of the set,
  // if its host is the pool and its thread limit keeps other threads from them.
  // Returns whether it did.
  static bool RunBeyondLimit(std::uint64_t handle, const PoolState* pool);

 private:
  friend class TaskQueue;
  friend struct TaskSetNodes;

  friend class Gate;

  // The stage of a continuation that waits for the end of its first task, and
  // of the set of a Promise.
  enum class Stage : std::uint8_t { kNone, kWaiting, kDropped };

  // Sets of many tasks have this in the place of the closure.
  struct Group {
    Task* newest = nullptr;
    Task* oldest = nullptr;
    TaskQueue* newest_from = nullptr;  // Whose thread pushed the newest.
    std::atomic<TaskBatch*> batches{nullptr};
    std::exception_ptr error;
    const char* name = nullptr;
    // Written under the lock; read without it as a hint.
    std::atomic<std::int32_t> queued{0};
    // Threads that run its tasks; 0 if max_threads is.
    std::atomic<std::int32_t> active{0};
    std::int32_t max_threads = 0;  // 0: any number.
    std::atomic<bool> cancelled{false};
    std::atomic<bool> failed{false};
    bool invited = false;  // The executor has an invitation.
  };

  TaskSet() = default;

  static TaskSet* NewHeader(PoolState* pool, Executor* executor,
                            Priority priority);
  bool is_single() const { return type_ != nullptr; }
  void* host() const { return host_.load(std::memory_order_relaxed); }
  Group& group() { return *reinterpret_cast<Group*>(storage_); }
  const Group& group() const {
    return *reinterpret_cast<const Group*>(storage_);
  }

  // The lock of the queue; with an executor, the set's own lock.
  SpinLock& lock();
  // With the lock held.
  bool IsFullLocked() const;
  void EnqueueLocked();
  void DequeueIfDoneLocked();
  void ChangeActiveLocked(int change) {
    if (group().max_threads == 0) return;
    std::atomic<std::int32_t>& active = group().active;
    active.store(active.load(std::memory_order_relaxed) + change,
                 std::memory_order_relaxed);
  }
  Task* PopLocked(bool newest);
  bool HasAnyLocked();
  void PutBatchesBackLocked();
  void UnregisterLocked(TaskBatch* batch);
  void FillLocked(TaskBatch* batch, bool newest);

  Task* ClaimForOwnUse();
  bool IsWantedElsewhere(Runner runner, Clock::time_point deadline) const;
  Task* ClaimNext(TaskQueue* queue, bool leave, TaskBatch* batch);
  bool RunOwnTasks(Clock::time_point deadline);

  void Enqueue();
  void EnqueueInPool(PoolState* pool);
  bool InviteHost();
  static void RunRefused(std::uint64_t handle) noexcept;
  CERES_PARALLEL_COLD void LaunchOnExecutor(bool detached);
  CERES_PARALLEL_COLD void AbandonUnfinished();
  void DropResult();
  Task* ClaimBeyondLimit();
  bool ClaimSingle();
  TaskSet* Head() { return chain_ != nullptr ? chain_ : this; }
  CERES_PARALLEL_COLD void DeleteSpecial();
  CERES_PARALLEL_COLD void EndHereSpecial();
  CERES_PARALLEL_COLD bool AwaitHeld(TaskSet* head, Clock::time_point deadline);
  bool AwaitOthers(Clock::time_point deadline);
  void EnqueueHeld();
  CERES_PARALLEL_COLD void RunContinuationHere() noexcept;
  bool DropContinuation();
  bool BeginContinuation();
  TaskSet* RunLink(std::uint64_t region) noexcept;
  void RunSingleHere() noexcept;
  void RunTraced() noexcept;
  bool AwaitEnd(Clock::time_point deadline);
  void TraceSpawns(const Task* newest, int count) const;

  void CheckNotInside() const;
  void TellAncestors();
  CERES_PARALLEL_COLD bool WaitOnFreshStack(Clock::time_point deadline);
  bool WaitUntilQuiet(Clock::time_point deadline);
  bool WaitAsChild(Clock::time_point deadline);
  bool WaitForOthers(Clock::time_point deadline);
  bool WaitWithoutPool(Clock::time_point deadline);
  bool SpinUntilQuiet(Clock::time_point deadline);
  void SleepUntilQuiet(Clock::time_point deadline);
  bool HasTasksForMe() const;
  bool HasSettledTasksForMe() const;
  bool HasTasksForMeLocked();

  std::atomic<std::uint64_t> handle_{0};
  ParentWord parent_;  // See ParentOf.
  // Links in the list of a queue, under its lock.
  TaskSet* newer_ = nullptr;
  TaskSet* older_ = nullptr;
  TaskQueue* queue_ = nullptr;        // Of the thread that made it; pools only.
  std::atomic<void*> host_{nullptr};  // A PoolState or an Executor.
  const SingleTaskType* type_ = nullptr;
  PendingWord pending_;
  std::atomic<bool> enqueued_{false};
  SpinLock own_lock_;
  bool is_high_ : 1;
  bool has_executor_ : 1;
  bool is_named_ : 1;     // A single task: its name lies before the closure.
  bool is_unset_ : 1;     // The set of a Promise.
  bool is_held_ : 1;      // The task of WhenAll or WhenAny. Owns a reference.
  bool is_observed_ : 1;  // An input of a gate. Owns a reference until its end.

  // Members of single tasks (continuation.cc).
  std::atomic<Stage> stage_{Stage::kNone};
  bool is_kept_ = false;  // By a continuation, as chain_.
  // The executor did not take the invitation. Valid if there is an executor.
  bool is_refused_ = false;
  std::uint32_t gate_index_ = 0;  // Valid if is_observed_.
  TaskSet* next_ = nullptr;   // The continuation; valid if kContinued is set.
  TaskSet* chain_ = nullptr;  // The first of the chain that ends here, or null.
  Gate* gate_ = nullptr;      // Valid if is_held_ or is_observed_.

  alignas(64) unsigned char storage_[kStorageSize];
};

}  // namespace detail
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_TASK_SET_H_
