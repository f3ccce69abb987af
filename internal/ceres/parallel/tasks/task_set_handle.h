// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_
#define CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_

#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/loops/group.h"

// What handles of both kinds of groups can be asked: loops (group.h) and task
// sets (detail/task_set.h).

namespace ceres::parallel::detail {

// Whether the group is `ancestor`, or `ancestor` waits for it, directly or
// through other groups (task_wait.cc). The answer may be outdated when it is
// given, unless the group is kept from ending; what the caller then joins says
// whether it was.
inline bool IsWithin(GroupHandle handle, GroupHandle ancestor) {
  return GroupSlot::IsWithin(handle, ancestor);
}

// Whether a task of the pool, or a task set that an executor has passed on,
// waits for the group. Like IsWithin.
inline bool IsWithinTaskOf(GroupHandle handle, const PoolState* pool) {
  if (IsTaskSetHandle(handle)) return true;
  constexpr int kMaxDepth = 64;
  for (int depth = 0; handle != 0 && depth < kMaxDepth; ++depth) {
    if (!IsTaskSetHandle(handle)) {
      handle = GroupSlot::ParentOf(handle);
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
inline void WakeOwner(GroupHandle handle) {
  if (!IsTaskSetHandle(handle)) {
    GroupSlot::Of(handle)->Rouse();
  } else if (TaskSet* const set = TaskSet::Of(handle)) {
    set->Rouse();
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_TASK_SET_HANDLE_H_
