// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TASK_GROUP_H_
#define CERES_PUBLIC_PARALLEL_TASK_GROUP_H_

// CONTRACT (the room "tasks" fills it in; declarations below are the API).

#include <chrono>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

struct TaskGroupOptions {
  // The most threads at work for the group, those that wait included. 0: as
  // many as the host has.
  int max_threads = 0;
  Priority priority = Priority::kNormal;
  CancellationToken token;
  const char* name = nullptr;  // See TaskOptions.
};

// Tasks that are waited for together. Groups may be nested and shared between
// threads: every member function except the destructor may be called by several
// threads at once, also inside tasks of the group (but not Wait).
//
// Wait returns when the tasks of this group are done, whatever else the host
// does. It runs tasks of the group and work that was started within them,
// nothing else.
//
// The first exception of a task is kept, and the tasks that nobody has begun
// are dropped; Wait rethrows it. After Wait has returned, the group is as new.
//
// The destructor waits. An exception that no Wait has seen goes to the
// exception handler of the pool.
class TaskGroup {
 public:
  explicit TaskGroup(ThreadPool& pool, const TaskGroupOptions& options = {});
  explicit TaskGroup(Executor& host, const TaskGroupOptions& options = {});
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // As Async. After Cancel, or once the token says stop, until Wait has
  // returned: does nothing (the closure is destroyed).
  template <typename F, typename... Args>
  void Run(F&& f, Args&&... args);

  // Returns how the group ended, or rethrows. In a task of the group itself:
  // std::logic_error. If several threads wait, one of them gets the exception,
  // the others kCancelled.
  Status Wait();
  // kDeadlineExceeded: tasks are still at work; the group is as it was. Never
  // rethrows then.
  template <typename Clock, typename Duration>
  Status WaitUntil(std::chrono::time_point<Clock, Duration> deadline);
  template <typename Rep, typename Period>
  Status WaitFor(std::chrono::duration<Rep, Period> timeout);

  // Drops the tasks that nobody has begun.
  void Cancel();
  bool IsCancelled() const;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TASK_GROUP_H_
