// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/detached_exceptions.h"

#include <iostream>
#include <new>

namespace ceres::parallel::detail {

void DetachedExceptions::SetHandler(Handler handler) {
  const std::lock_guard<std::mutex> lock(mutex_);
  handler_ = std::move(handler);
}

void DetachedExceptions::Handle(std::exception_ptr error) noexcept {
  Handler handler;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    handler = handler_;
  }
  if (handler) {
    handler(std::move(error));
  } else {
    TerminateFor(error);
  }
}

void DetachedExceptions::ResetAfterFork() { new (&mutex_) std::mutex; }

void TerminateFor(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    std::cerr << "An exception that nobody waits for, thrown by a task: "
              << exception.what() << std::endl;
  } catch (...) {
    std::cerr << "An exception that nobody waits for, thrown by a task"
              << std::endl;
  }
  std::terminate();
}

}  // namespace ceres::parallel::detail
