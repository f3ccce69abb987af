// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_NODES_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_NODES_H_

#include <cstdint>

#include "ceres/parallel/detail/task_set.h"

namespace ceres::parallel::detail {

// A free set, whose members are as its last user left them, except the links.
// May throw std::bad_alloc.
TaskSet* TakeTaskSet();
void GiveTaskSet(TaskSet* set);

// The handle of the set for its next life.
std::uint64_t NextHandle(std::uint64_t handle);

// Around fork(): the lists of free nodes stay as they are.
void LockNodesForFork();
void UnlockNodesAfterFork();

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_NODES_H_
