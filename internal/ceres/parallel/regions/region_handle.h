// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_REGIONS_REGION_HANDLE_H_
#define CERES_INTERNAL_PARALLEL_REGIONS_REGION_HANDLE_H_

#include <atomic>

#include "ceres/parallel/regions/region_word.h"

// Questions about a handle of either kind of region: a loop or fork (region.h),
// or a task set (detail/task_set.h). Answers may be outdated, unless the caller
// keeps the region from ending.

namespace ceres::parallel::detail {

class PoolState;

// What other layers ask about a task set by its handle. The layer of tasks
// registers its functions before the first handle of a task set exists. So a
// thread that has learned a handle in any synchronized way finds them.
struct TaskSetFunctions {
  // The region that cannot end before the set does, because its work waits for
  // the set; 0 if there is none, or the set has ended.
  RegionHandle (*parent_of)(RegionHandle handle);
  // Whether the set has not ended and its tasks were given to the pool.
  bool (*is_of_pool)(RegionHandle handle, const PoolState* pool);
  // Wakes threads that sleep until the set ends.
  void (*rouse)(RegionHandle handle);
  // Helps the set of an executor. Returns whether it did.
  bool (*accept_invitation)(RegionHandle handle);
};
// Null: there has been no task set.
inline std::atomic<const TaskSetFunctions*> task_set_functions{nullptr};

// The bound on the number of parents that are followed. If a region ends
// meanwhile, its links may lead anywhere. Regions that nest more deeply get
// less help.
inline constexpr int kMaxParents = 64;

// The region within which this one was opened, or which waits for this task
// set; 0: none.
RegionHandle ParentOf(RegionHandle handle);

// Whether the region is `ancestor`, or `ancestor` waits for it, directly or
// through other regions (task_wait.cc). If the answer is outdated, joining the
// region fails.
bool IsWithin(RegionHandle handle, RegionHandle ancestor);

// Whether a task of the pool, or a task set that an executor has passed on,
// waits for the region.
bool IsWithinTaskOf(RegionHandle handle, const PoolState* pool);

// Wakes the threads that sleep until the region ends. Any thread may call it,
// also with an old handle.
void WakeOwner(RegionHandle handle);

// Helps the task set of an executor, which is named by the handle, if it has
// not ended and has unclaimed tasks. Returns whether it did.
bool AcceptTaskSetInvitation(RegionHandle handle);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_REGIONS_REGION_HANDLE_H_
