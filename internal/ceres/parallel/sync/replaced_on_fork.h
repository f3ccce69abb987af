// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_SYNC_REPLACED_ON_FORK_H_
#define CERES_INTERNAL_PARALLEL_SYNC_REPLACED_ON_FORK_H_

#include <cstring>
#include <new>
#include <utility>

namespace ceres::parallel::detail {

// Owns a T that a fork may leave in any state: with a locked mutex, or with a
// list that another thread was changing. The child of the fork replaces the T
// without memory. The old T is not destroyed. What it refers to is not freed,
// and stays reachable if there is memory for a copy, so that leak checkers are
// silent.
template <typename T>
class ReplacedOnFork {
 public:
  template <typename... Args>
  explicit ReplacedOnFork(Args&&... args) {
    new (bytes_) T(std::forward<Args>(args)...);
  }
  ~ReplacedOnFork() { get()->~T(); }
  ReplacedOnFork(const ReplacedOnFork&) = delete;
  ReplacedOnFork& operator=(const ReplacedOnFork&) = delete;

  T* operator->() const { return get(); }
  T* get() const { return std::launder(reinterpret_cast<T*>(bytes_)); }

  // In the child of a fork, where only the calling thread exists.
  template <typename... Args>
  void Replace(Args&&... args) {
    KeepReachable();
    new (bytes_) T(std::forward<Args>(args)...);
  }

 private:
  struct Abandoned {
    alignas(T) unsigned char bytes[sizeof(T)];
    Abandoned* older;
  };

  void KeepReachable() const {
    static Abandoned* newest = nullptr;
    auto* const copy = new (std::nothrow) Abandoned;
    if (copy == nullptr) return;
    std::memcpy(copy->bytes, bytes_, sizeof(T));
    copy->older = newest;
    newest = copy;
  }

  alignas(T) mutable unsigned char bytes_[sizeof(T)];
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_SYNC_REPLACED_ON_FORK_H_
