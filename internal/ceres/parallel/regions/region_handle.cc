// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/regions/region_handle.h"

#include "ceres/parallel/regions/region.h"

namespace ceres::parallel::detail {
namespace {

const TaskSetFunctions* Functions() {
  return task_set_functions.load(std::memory_order_acquire);
}

}  // namespace

RegionHandle ParentOf(RegionHandle handle) {
  if (!IsTaskSetHandle(handle)) return RegionSlot::ParentOf(handle);
  const TaskSetFunctions* const functions = Functions();
  return functions != nullptr ? functions->parent_of(handle) : 0;
}

bool IsWithin(RegionHandle handle, RegionHandle ancestor) {
  // If the region is open while we look, so are all regions around it, because
  // their owners wait for a block that has not ended; the links are then
  // stable. If it is not, we may read anything, but joining will fail.
  for (int depth = 0; handle != 0 && depth < kMaxParents; ++depth) {
    if (handle == ancestor) return true;
    if (!IsTaskSetHandle(handle) && !RegionSlot::IsCurrent(handle)) {
      return false;
    }
    handle = ParentOf(handle);
  }
  return false;
}

bool IsWithinTaskOf(RegionHandle handle, const PoolState* pool) {
  if (IsTaskSetHandle(handle)) return true;
  for (int depth = 0; handle != 0 && depth < kMaxParents; ++depth) {
    if (IsTaskSetHandle(handle)) {
      const TaskSetFunctions* const functions = Functions();
      if (functions != nullptr && functions->is_of_pool(handle, pool)) {
        return true;
      }
    }
    handle = ParentOf(handle);
  }
  return false;
}

void WakeOwner(RegionHandle handle) {
  if (!IsTaskSetHandle(handle)) {
    RegionSlot::Of(handle)->Rouse();
  } else if (const TaskSetFunctions* const functions = Functions()) {
    functions->rouse(handle);
  }
}

bool AcceptTaskSetInvitation(RegionHandle handle) {
  const TaskSetFunctions* const functions = Functions();
  return functions != nullptr && functions->accept_invitation(handle);
}

}  // namespace ceres::parallel::detail
