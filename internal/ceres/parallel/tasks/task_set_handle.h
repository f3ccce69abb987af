// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_

#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/loops/region.h"

// Questions about a handle of either kind of region: a loop or fork (region.h),
// or a task set (detail/task_set.h).

namespace ceres::parallel::detail {

// Whether the region is `ancestor`, or `ancestor` waits for it, directly or
// through other regions (task_wait.cc). The answer may be outdated, unless the
// region is kept from ending. If it is, joining the region fails.
inline bool IsWithin(RegionHandle handle, RegionHandle ancestor) {
  return RegionSlot::IsWithin(handle, ancestor);
}

// Whether a task of the pool, or a task set that an executor has passed on,
// waits for the region. May be outdated like IsWithin.
inline bool IsWithinTaskOf(RegionHandle handle, const PoolState* pool) {
  if (IsTaskSetHandle(handle)) return true;
  constexpr int kMaxDepth = 64;
  for (int depth = 0; handle != 0 && depth < kMaxDepth; ++depth) {
    if (!IsTaskSetHandle(handle)) {
      handle = RegionSlot::ParentOf(handle);
    } else if (TaskSet::IsOfPool(handle, pool)) {
      return true;
    } else {
      handle = TaskSet::ParentOf(handle);
    }
  }
  return false;
}

// For a thread that waits for a condition: runs tasks of a set around its own
// work that no other thread may run, because the set has a thread limit.
inline bool HelpSetsAround(const PoolState* pool) {
  constexpr int kMaxDepth = 64;
  RegionHandle handle = RegionOfThisThread();
  for (int depth = 0; handle != 0 && depth < kMaxDepth; ++depth) {
    if (!IsTaskSetHandle(handle)) {
      handle = RegionSlot::ParentOf(handle);
    } else if (TaskSet::RunBeyondLimit(handle, pool)) {
      return true;
    } else {
      handle = TaskSet::ParentOf(handle);
    }
  }
  return false;
}

// Wakes the threads that sleep until the region ends. Any thread may call it,
// also with an old handle.
inline void WakeOwner(RegionHandle handle) {
  if (!IsTaskSetHandle(handle)) {
    RegionSlot::Of(handle)->Rouse();
  } else if (TaskSet* const set = TaskSet::Of(handle)) {
    set->Rouse();
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_
