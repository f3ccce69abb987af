// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_

#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/loops/region.h"

// What handles of both kinds of groups can be asked: loops (region.h) and task
// sets (detail/task_set.h).

namespace ceres::parallel::detail {

// Whether the group is `ancestor`, or `ancestor` waits for it, directly or
// through other groups (task_wait.cc). The answer may be outdated when it is
// given, unless the group is kept from ending; what the caller then joins says
// whether it was.
inline bool IsWithin(RegionHandle handle, RegionHandle ancestor) {
  return RegionSlot::IsWithin(handle, ancestor);
}

// Whether a task of the pool, or a task set that an executor has passed on,
// waits for the group. Like IsWithin.
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

// Rouses the threads that sleep until the group ends. Anybody, also with an old
// handle.
inline void WakeOwner(RegionHandle handle) {
  if (!IsTaskSetHandle(handle)) {
    RegionSlot::Of(handle)->Rouse();
  } else if (TaskSet* const set = TaskSet::Of(handle)) {
    set->Rouse();
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_
