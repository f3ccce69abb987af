// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_REPLACED_ON_FORK_H_
#define CERES_INTERNAL_PARALLEL_SYNC_REPLACED_ON_FORK_H_

#include <memory>
#include <utility>
#include <vector>

namespace ceres::parallel::detail {

// Owns a T that a fork may leave in any state: with a locked mutex, or with a
// list that another thread was changing. The child of the fork replaces the T.
// The old T is neither destroyed nor freed, and stays reachable, so that leak
// checkers are silent.
template <typename T>
class ReplacedOnFork {
 public:
  template <typename... Args>
  explicit ReplacedOnFork(Args&&... args)
      : value_(std::make_unique<T>(std::forward<Args>(args)...)) {}
  ReplacedOnFork(const ReplacedOnFork&) = delete;
  ReplacedOnFork& operator=(const ReplacedOnFork&) = delete;

  T* operator->() const { return value_.get(); }
  T* get() const { return value_.get(); }

  // In the child of a fork, where only the calling thread exists.
  template <typename... Args>
  void Replace(Args&&... args) {
    static std::vector<T*>* const abandoned = new std::vector<T*>;
    abandoned->push_back(value_.release());
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_REPLACED_ON_FORK_H_
