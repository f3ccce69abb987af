// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/task_group.h"

#include <algorithm>
#include <utility>

// A group is stopped while its set is cancelled; `reason_` says why, and is
// written before. The last of the threads that wait makes the group as new:
// then no task is left that could look.

namespace ceres::parallel {

TaskGroup::TaskGroup(const detail::Host& host, const TaskGroupOptions& options)
    : set_(detail::TaskSet::New(host.pool, host.executor, options.priority,
                                std::max(0, options.max_threads))),
      token_(options.token) {
  set_->SetName(options.name);
}

TaskGroup::~TaskGroup() {
  // In a task of the group itself this throws, and the program ends.
  set_->Wait();
  if (std::exception_ptr error = set_->TakeError()) {
    detail::HandleDetachedException(set_->pool(), std::move(error));
  }
  set_->Delete();
}

bool TaskGroup::LookAtToken() const {
  const Status status = token_.Check();
  if (status == Status::kCompleted) return false;
  Status expected = Status::kCompleted;
  reason_.compare_exchange_strong(expected, status, std::memory_order_relaxed);
  set_->Cancel();
  return true;
}

void TaskGroup::Stop(Status reason) {
  Status expected = Status::kCompleted;
  reason_.compare_exchange_strong(expected, reason, std::memory_order_relaxed);
  set_->Cancel();
  int count = 0;
  detail::Task* task = set_->TakeAll(&count);
  if (task == nullptr) return;
  // They see that the group is stopped, and only destroy their closures.
  while (task != nullptr) {
    detail::Task* const older = task->older;
    task->run(task);
    task = older;
  }
  set_->Finish(count);
}

void TaskGroup::Fail(std::exception_ptr error) noexcept {
  set_->KeepError(std::move(error));
  Stop(Status::kCancelled);
}

Status TaskGroup::WaitUntilSteady(
    std::chrono::steady_clock::time_point deadline) {
  struct Waiting {
    explicit Waiting(std::atomic<int>& counter) : count(counter) {
      count.fetch_add(1, std::memory_order_relaxed);
    }
    // Returns whether it was the last.
    bool End() {
      ended = true;
      return count.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }
    ~Waiting() {
      if (!ended) End();
    }
    std::atomic<int>& count;
    bool ended = false;
  };
  Waiting waiting(num_waiting_);
  if (!set_->Wait(deadline)) return Status::kDeadlineExceeded;
  const Status reason = reason_.load(std::memory_order_relaxed);
  if (reason == Status::kCompleted) return reason;
  std::exception_ptr error = set_->TakeError();
  if (waiting.End()) {
    reason_.store(Status::kCompleted, std::memory_order_relaxed);
    set_->Uncancel();
  }
  if (error) std::rethrow_exception(std::move(error));
  return reason;
}

}  // namespace ceres::parallel
