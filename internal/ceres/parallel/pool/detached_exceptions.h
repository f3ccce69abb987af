// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_DETACHED_EXCEPTIONS_H_
#define CERES_INTERNAL_PARALLEL_POOL_DETACHED_EXCEPTIONS_H_

#include <exception>
#include <functional>
#include <mutex>
#include <utility>

namespace ceres::parallel::detail {

// Handles exceptions that no thread waits for: those of detached tasks, and of
// task groups that are destroyed without a wait. Thread-safe.
class DetachedExceptions {
 public:
  using Handler = std::function<void(std::exception_ptr)>;

  explicit DetachedExceptions(Handler handler) : handler_(std::move(handler)) {}

  // An empty handler: a message on standard error, then std::terminate.
  void SetHandler(Handler handler);
  // Calls the handler in this thread. The handler must not throw.
  void Handle(std::exception_ptr error) noexcept;

  // In the child of a fork, where another thread may have held the mutex.
  void ResetAfterFork();

 private:
  std::mutex mutex_;
  Handler handler_;
};

// The default handler.
[[noreturn]] void TerminateFor(const std::exception_ptr& error) noexcept;

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_DETACHED_EXCEPTIONS_H_
