// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TASK_GROUP_H_
#define CERES_PUBLIC_PARALLEL_TASK_GROUP_H_

#include <atomic>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/single_task.h"
#include "ceres/parallel/detail/task_node.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// The options of a group.
struct TaskGroupOptions {
  // The largest number of threads that work for the group, waiting threads
  // included. 0 or less: as many as the host has.
  int max_threads = 0;
  // The priority of all tasks of the group.
  Priority priority = Priority::kNormal;
  // Checked before each task.
  CancellationToken token;
  const char* name = nullptr;  // See TaskOptions.
};

// A set of tasks with a common wait. Groups may be nested and shared between
// threads. Several threads at once may call every member function except the
// destructor, also inside tasks of the group (but not Wait).
//
// Wait returns when the tasks of this group have ended, whatever else the host
// does. It runs only tasks of the group, and tasks, loops and forks that the
// tasks of the group wait for, directly or indirectly. A lock may therefore be
// held across Wait if no such work takes the lock. Tasks that such work
// detaches, and futures that it does not await, may take the lock. (Work that
// makes a TaskGroup in a stack frame waits for it from the beginning, because
// the destructor waits. A TaskGroup on the heap is waited for by Wait only.)
//
// The first exception of a task is kept, and tasks that have not begun are
// dropped; Wait rethrows the exception. After Wait has returned, the group can
// be used again.
//
// The destructor waits. An exception that no Wait has rethrown goes to the
// exception handler of the pool (on another executor: a message, then
// std::terminate). The host must outlive the group.
//
// Effects of a thread before Run happen before the task, and effects of the
// task happen before Wait returns.
class CERES_PARALLEL_EXPORT TaskGroup {
 public:
  // A group without tasks on the host, to which it refers.
  explicit TaskGroup(ThreadPool& pool, const TaskGroupOptions& options = {})
      : TaskGroup(detail::HostOf(pool), options) {}
  explicit TaskGroup(Executor& host, const TaskGroupOptions& options = {})
      : TaskGroup(detail::HostOf(host), options) {}
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Adds a task that calls f(args...), as Async does; its result is dropped.
  // Closures of up to 96 bytes need no allocation except one pooled node. After
  // Cancel, an exception or a stop by the token, until Wait has returned, Run
  // does nothing (the closure is destroyed).
  template <typename F, typename... Args>
  void Run(F&& f, Args&&... args) {
    using Node = NodeOf<detail::BoundCallOf<F, Args...>>;
    if (IsStopped()) {
      has_dropped_.store(true, std::memory_order_relaxed);
      return;
    }
    detail::TaskNode* const node = detail::TakeTaskNode();
    try {
      new (node->storage) typename Node::Closure(std::in_place, std::in_place,
                                                 std::forward<F>(f),
                                                 std::forward<Args>(args)...);
    } catch (...) {
      detail::GiveTaskNode(node);
      throw;
    }
    node->group = this;
    node->task.run = &Node::Run;
    set_->Push(&node->task, &node->task, 1);
  }

  // Waits for the tasks. Returns the way in which the group ended, or rethrows:
  // kCompleted if every task has run, also if the group was cancelled after
  // that. Throws std::logic_error in a task of the group itself. If several
  // threads wait, one of them gets the exception, the others kCancelled.
  Status Wait() {
    Status status = Status::kCompleted;
    WaitUntilSteady(std::chrono::steady_clock::time_point::max(), &status);
    return status;
  }
  // Wait with a limit. Return true if the tasks have ended, after writing to
  // *status, if it is not null, what Wait returns; or rethrow as Wait does.
  // Return false if tasks are still at work; the group is then unchanged. These
  // functions begin at least one task if there is one, and may return late by
  // the time that the task takes.
  template <typename Clock, typename Duration>
  bool WaitUntil(std::chrono::time_point<Clock, Duration> deadline,
                 Status* status = nullptr) {
    return WaitUntilSteady(detail::SteadyDeadline(deadline), status);
  }
  template <typename Rep, typename Period>
  bool WaitFor(std::chrono::duration<Rep, Period> timeout,
               Status* status = nullptr) {
    return WaitUntilSteady(detail::DeadlineAfter(timeout), status);
  }

  // Drops the tasks that have not begun.
  void Cancel() { Stop(Status::kCancelled); }
  // Returns whether the group drops tasks that have not begun: after Cancel, an
  // exception, or a stop by the token.
  bool IsCancelled() const { return IsStopped(); }

 private:
  template <typename Call>
  struct NodeOf {
    using Closure =
        detail::Held<Call, detail::kFits<Call, detail::TaskNode::kCapacity,
                                         detail::TaskNode::kAlignment>>;

    static void Run(detail::Task* task) {
      auto* const node = reinterpret_cast<detail::TaskNode*>(task);
      auto* const group = static_cast<TaskGroup*>(node->group);
      Closure& closure =
          *std::launder(reinterpret_cast<Closure*>(node->storage));
      if (group->IsStopped()) {
        group->has_dropped_.store(true, std::memory_order_relaxed);
      } else {
        try {
          static_cast<void>((*closure)());
        } catch (...) {
          group->Fail(std::current_exception());
        }
      }
      closure.~Closure();
      detail::GiveTaskNode(node);
    }
  };

  TaskGroup(const detail::Host& host, const TaskGroupOptions& options);

  bool IsStopped() const {
    return set_->IsCancelled() || (token_.CanCancel() && LookAtToken());
  }
  bool LookAtToken() const;
  void MarkAsStopped(Status reason) const;
  void Stop(Status reason);
  void Fail(std::exception_ptr error) noexcept;
  Status MakeAsNew();
  bool WaitUntilSteady(std::chrono::steady_clock::time_point deadline,
                       Status* status);

  detail::TaskSet* const set_;
  const CancellationToken token_;
  // The reason why tasks were dropped, if any were.
  mutable std::atomic<Status> reason_{Status::kCompleted};
  // Whether tasks were dropped, or one has failed, since the group was as new.
  std::atomic<bool> has_dropped_{false};
  // The number of times that the group was made as new after that.
  std::atomic<unsigned> num_stops_{0};
  mutable detail::SpinLock as_new_lock_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TASK_GROUP_H_
