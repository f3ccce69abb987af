// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_TASK_NODE_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_TASK_NODE_H_

#include <cstddef>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/task_set.h"

namespace ceres::parallel::detail {

// A task with its closure, from pooled memory.
struct alignas(64) TaskNode {
  static constexpr std::size_t kCapacity = 96;
  static constexpr std::size_t kAlignment = 32;

  Task task;
  void* group = nullptr;  // A TaskGroup.
  unsigned char storage[kCapacity];
};

// May throw std::bad_alloc. A node may be given back by another thread than the
// one that took it. Thread-safe.
CERES_PARALLEL_EXPORT TaskNode* TakeTaskNode();
CERES_PARALLEL_EXPORT void GiveTaskNode(TaskNode* node);

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_TASK_NODE_H_
