// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_FIRST_FAILURE_H_
#define CERES_INTERNAL_EVALUATION_FIRST_FAILURE_H_

#include <atomic>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

namespace ceres::internal {

// Keeps the failure with the lowest index of a parallel loop. An index may be
// skipped only if a lower one has failed, so the result does not depend on the
// order of execution. Thread-safe.
class FirstFailure {
 public:
  bool MaySkip(int index) const {
    return index > index_.load(std::memory_order_relaxed);
  }

  void Report(int index, std::string message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (index > index_.load(std::memory_order_relaxed)) return;
    index_.store(index, std::memory_order_relaxed);
    message_ = std::move(message);
  }

  // After the loop.
  bool any() const {
    return index_.load(std::memory_order_relaxed) !=
           std::numeric_limits<int>::max();
  }
  // INT_MAX: nothing has failed.
  int index() const { return index_.load(std::memory_order_relaxed); }
  std::string& message() { return message_; }

 private:
  std::atomic<int> index_{std::numeric_limits<int>::max()};
  std::mutex mutex_;
  std::string message_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_FIRST_FAILURE_H_
