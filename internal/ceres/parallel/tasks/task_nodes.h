// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_NODES_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_NODES_H_

#include <cstdint>

#include "ceres/parallel/detail/task_set.h"

namespace ceres::parallel::detail {

// Memory of task sets. A set that is taken has the members that its last user
// left, except the links. May throw std::bad_alloc. Thread-safe.
TaskSet* TakeTaskSet();
void GiveTaskSet(TaskSet* set);

// The handle of a set with the next epoch, for its next use.
std::uint64_t NextHandle(std::uint64_t handle);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_NODES_H_
