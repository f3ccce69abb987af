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
#include "ceres/parallel/detail/host.h"
#include "ceres/parallel/detail/single_task.h"
#include "ceres/parallel/detail/task_node.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

struct TaskGroupOptions {
  // The most threads at work for the group, those that wait included. 0 or
  // less: as many as the host has.
  int max_threads = 0;
  Priority priority = Priority::kNormal;
  // Seen before each task.
  CancellationToken token;
  const char* name = nullptr;  // See TaskOptions.
};

// Tasks that are waited for together. Groups may be nested and shared between
// threads: every member function except the destructor may be called by several
// threads at once, also inside tasks of the group (but not Wait).
//
// Wait returns when the tasks of this group are done, whatever else the host
// does. It runs tasks of the group, and tasks, loops and forks for which the
// tasks of the group wait, directly or through others; nothing else. So a lock
// may be held across Wait if no such work takes the lock. Tasks that such work
// detaches, and futures that it does not await, may take the lock.
//
// The first exception of a task is kept, and tasks that have not begun are
// dropped; Wait rethrows the exception. After Wait has returned, the group can
// be used again.
//
// The destructor waits. An exception that no Wait has seen goes to the
// exception handler of the pool (on another executor: a message, then
// std::terminate). The host outlives the group.
//
// What happens in a thread before Run happens before the task, and the task
// before Wait returns.
class TaskGroup {
 public:
  explicit TaskGroup(ThreadPool& pool, const TaskGroupOptions& options = {})
      : TaskGroup(detail::HostOf(pool), options) {}
  explicit TaskGroup(Executor& host, const TaskGroupOptions& options = {})
      : TaskGroup(detail::HostOf(host), options) {}
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // As Async, but without options, and what f(args...) returns is dropped.
  // Closures of up to 96 bytes need no allocation but one pooled node. After
  // Cancel or an exception, or once the token says stop, until Wait has
  // returned: does nothing (the closure is destroyed).
  template <typename F, typename... Args>
  void Run(F&& f, Args&&... args) {
    using Node = NodeOf<detail::BoundCallOf<F, Args...>>;
    if (IsStopped()) return;
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

  // Returns how the group ended, or rethrows. In a task of the group itself:
  // std::logic_error. If several threads wait, one of them gets the exception,
  // the others kCancelled.
  Status Wait() {
    return WaitUntilSteady(std::chrono::steady_clock::time_point::max());
  }
  // kDeadlineExceeded: tasks are still at work; the group is as it was. Never
  // rethrows then. Begins at least one task if there is one, and may return
  // later by the time that it takes. (The same status says that the deadline of
  // the group's own token has passed, if Wait returns it.)
  template <typename Clock, typename Duration>
  Status WaitUntil(std::chrono::time_point<Clock, Duration> deadline) {
    return WaitUntilSteady(detail::SteadyDeadline(deadline));
  }
  template <typename Rep, typename Period>
  Status WaitFor(std::chrono::duration<Rep, Period> timeout) {
    return WaitUntilSteady(detail::DeadlineAfter(timeout));
  }

  // Drops the tasks that have not begun.
  void Cancel() { Stop(Status::kCancelled); }
  // Whether the group has been cancelled, by whatever means.
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
      if (!group->IsStopped()) {
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
  Status WaitUntilSteady(std::chrono::steady_clock::time_point deadline);

  detail::TaskSet* const set_;
  const CancellationToken token_;
  // Why tasks were dropped, if any.
  mutable std::atomic<Status> reason_{Status::kCompleted};
  // How often the group has been stopped and made as new.
  std::atomic<unsigned> num_stops_{0};
  mutable detail::SpinLock as_new_lock_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TASK_GROUP_H_
