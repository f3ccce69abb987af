// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_TASK_SET_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_TASK_SET_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/task_options.h"

// CONTRACT between the rooms "tasks" (which implements it) and "graph",
// "trace", "stress" (which use it). "tasks" may refine it; say so in the
// report.
//
// A task set: work whose pieces come one by one (a loop's are there at once,
// see group.h). TaskGroup is one; a Future is one with a single task; a run of
// a TaskGraph is one whose tasks are the nodes that are ready.
//
// The tasks that nobody has begun lie in the set. What hangs in the pool is an
// offer of the set: "come and help". It hangs in the offer box of the thread
// that put the first task in, once, as long as there are tasks that nobody has
// begun; threads that look for work look into the boxes (offer_box.h).

namespace ceres::parallel {
class Executor;
class ThreadPool;

namespace detail {

class PoolState;

// A piece of work of a set. Lies in its owner's memory; belongs to the thread
// that has claimed it from then on. run() must not throw; it ends by calling
// TaskSet::Finish, after which the task may be gone.
struct Task {
  Task* older = nullptr;  // In the set's list.
  Task* newer = nullptr;
  void (*run)(Task* task) = nullptr;
};

// Lies in memory that is never given back to the system, and is used again for
// other sets; an epoch tells them apart, so that a late invitation is harmless.
class alignas(64) TaskSet {
 public:
  // pool or executor is given, not both.
  static TaskSet* New(PoolState* pool, Executor* executor, Priority priority);
  // Nobody waits, no task is left.
  void Delete();

  // Adds tasks that may run at once, linked newest to oldest, and makes sure
  // that somebody comes: hangs the offer, wakes a worker if none is looking for
  // work, rouses a thread that sleeps in Wait. Counts them as pending.
  void Push(Task* newest, Task* oldest, int count);
  // Keeps the set pending without a task, as a graph's run does until its last
  // node. Undone by Finish(1).
  void AddPending(int count);

  // `count` tasks have ended, or were dropped: may end the set. The caller's
  // last access.
  void Finish(int count);

  // For the thread that has just run a task of this set: another task to run,
  // newest first if this thread has pushed since its last claim, else the
  // oldest. Null: none is left.
  Task* Claim();

  // Drops all tasks that nobody has begun; returns them linked by `older`, for
  // the caller to destroy and Finish.
  Task* TakeAll(int* count);

  // Returns when nothing is pending. Runs tasks of the set, then tasks, loops
  // and forks that were started within it; then spins for a bounded time, then
  // sleeps. Throws std::logic_error inside a task of the set. Returns false at
  // the deadline.
  bool Wait(std::chrono::steady_clock::time_point deadline =
                std::chrono::steady_clock::time_point::max());

  bool IsQuiet() const;  // Nothing pending (acquire).

  // The first exception wins.
  void KeepError(std::exception_ptr error) noexcept;
  std::exception_ptr TakeError() noexcept;
  void Cancel() noexcept;
  bool IsCancelled() const;

  // What Participation::group is while a task of the set runs: an ancestor for
  // all that is started within it (see GroupSlot::IsWithin, which takes these
  // handles, too).
  std::uint64_t handle() const;
};

}  // namespace detail
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_TASK_SET_H_
