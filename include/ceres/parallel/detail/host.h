// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_HOST_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_HOST_H_

#include <chrono>
#include <exception>
#include <type_traits>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel::detail {

// The host of tasks: a pool or a foreign executor. Exactly one of the two is
// not null.
struct Host {
  PoolState* pool = nullptr;
  Executor* executor = nullptr;
};

inline Host HostOf(ThreadPool& pool) { return {&pool.state(), nullptr}; }
inline Host HostOf(Executor& executor) { return {nullptr, &executor}; }

// The pool whose work the calling thread does; if there is none, the default
// pool.
inline Host CurrentHost() {
  const Participation* const current = current_participation;
  if (current != nullptr && current->pool != nullptr) {
    return {current->pool, nullptr};
  }
  return HostOf(ThreadPool::Default());
}

// ConditionWait::HelpUntil.
CERES_PARALLEL_EXPORT bool HelpPool(
    PoolState& pool, bool (*holds)(void* context), void* context,
    std::chrono::steady_clock::time_point deadline);

// Passes what a detached task has thrown to the pool's handler, or to the
// default handler.
CERES_PARALLEL_EXPORT void HandleDetachedException(
    PoolState* pool, std::exception_ptr error) noexcept;

template <typename T>
inline constexpr bool kIsHost = std::is_base_of_v<Executor, std::decay_t<T>>;

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_HOST_H_
