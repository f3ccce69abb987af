// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/task_group.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "ceres/parallel/detail/host.h"

// A group is stopped while its set is cancelled; `reason_` says why. Both
// change together, under as_new_lock_, because one thread may stop the group
// while a thread that has waited makes it as new.
//
// If several threads wait, one of them makes the group as new, and all must
// learn of dropped tasks: each compares num_stops_ before its wait with its
// value after it. The number is increased before reason_ becomes kCompleted
// (release). A thread that reads kCompleted (acquire) sees the new number; a
// thread that reads another value sees the reason. How tasks are run and
// counted: task_set.cc.

namespace ceres::parallel {

TaskGroup::TaskGroup(const detail::Host& host, const TaskGroupOptions& options)
    : set_(detail::TaskSet::New(host.pool, host.executor, options.priority,
                                std::max(0, options.max_threads))),
      token_(options.token) {
  set_->SetName(options.name);
  set_->EndsWith(this);
}

TaskGroup::~TaskGroup() {
  // In a task of the group itself this throws, and the program ends.
  if (!set_->IsQuiet()) set_->Wait();
  if (std::exception_ptr error = set_->TakeError()) {
    detail::HandleDetachedException(set_->pool(), std::move(error));
  }
  set_->Delete();
}

bool TaskGroup::LookAtToken() const {
  const Status status = token_.Check();
  if (status == Status::kCompleted) return false;
  MarkAsStopped(status);
  return true;
}

void TaskGroup::MarkAsStopped(Status reason) const {
  const detail::SpinLock::Guard guard(as_new_lock_);
  Status expected = Status::kCompleted;
  reason_.compare_exchange_strong(expected, reason, std::memory_order_relaxed);
  set_->Cancel();
}

void TaskGroup::Stop(Status reason) {
  MarkAsStopped(reason);
  int count = 0;
  detail::Task* task = set_->TakeAll(&count);
  if (task == nullptr) return;
  // The tasks see that the group is stopped, and only destroy their closures.
  while (task != nullptr) {
    detail::Task* const older = task->older;
    task->run(task);
    task = older;
  }
  set_->Finish(count);
}

void TaskGroup::Fail(std::exception_ptr error) noexcept {
  set_->KeepError(std::move(error));
  has_dropped_.store(true, std::memory_order_relaxed);
  Stop(Status::kCancelled);
}

// Returns why tasks were dropped, or kCompleted if none were, or if another
// thread that waited was faster. Who sees that reason_ is kCompleted again also
// sees the number. (has_dropped_ is set before the task, or the call of Run,
// that it is about ends.)
Status TaskGroup::MakeAsNew() {
  const detail::SpinLock::Guard guard(as_new_lock_);
  Status reason = reason_.load(std::memory_order_relaxed);
  if (reason != Status::kCompleted) {
    if (!has_dropped_.exchange(false, std::memory_order_relaxed)) {
      reason = Status::kCompleted;
    } else {
      num_stops_.store(num_stops_.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
    }
    set_->Uncancel();
    reason_.store(Status::kCompleted, std::memory_order_release);
  }
  return reason;
}

bool TaskGroup::WaitUntilSteady(std::chrono::steady_clock::time_point deadline,
                                Status* status) {
  const unsigned stops = num_stops_.load(std::memory_order_acquire);
  if (!set_->Wait(deadline)) return false;
  Status result = Status::kCompleted;
  if (reason_.load(std::memory_order_acquire) != Status::kCompleted ||
      set_->IsCancelled()) {
    std::exception_ptr error = set_->TakeError();
    result = MakeAsNew();
    if (error) std::rethrow_exception(std::move(error));
  }
  // Another thread that waited may have made the group as new.
  if (result == Status::kCompleted &&
      num_stops_.load(std::memory_order_acquire) != stops) {
    result = Status::kCancelled;
  }
  if (status != nullptr) *status = result;
  return true;
}

}  // namespace ceres::parallel
