// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parking/sleeping_owners.h"

#include "ceres/parallel/regions/region_handle.h"

namespace ceres::parallel::detail {

void SleepingOwners::Begin(SleepingOwner* owner) noexcept {
  const std::lock_guard<std::mutex> lock(list_->mutex);
  SleepingOwner*& newest = list_->newest;
  owner->older = newest;
  owner->newer = nullptr;
  (newest != nullptr ? newest->newer : list_->oldest) = owner;
  newest = owner;
  words_.sleeping_owners.fetch_add(1, std::memory_order_seq_cst);
}

void SleepingOwners::BecomeInactive(SleepingOwner* owner) noexcept {
  const std::lock_guard<std::mutex> lock(list_->mutex);
  if (owner->roused) return;
  owner->is_inactive = true;
  words_.inactive.fetch_add(1, std::memory_order_seq_cst);
}

void SleepingOwners::End(SleepingOwner* owner) noexcept {
  const std::lock_guard<std::mutex> lock(list_->mutex);
  if (owner->is_inactive) {
    words_.inactive.fetch_sub(1, std::memory_order_relaxed);
  }
  (owner->older != nullptr ? owner->older->newer : list_->oldest) =
      owner->newer;
  (owner->newer != nullptr ? owner->newer->older : list_->newest) =
      owner->older;
  words_.sleeping_owners.fetch_sub(1, std::memory_order_relaxed);
}

bool SleepingOwners::WakeOneFor(RegionHandle handle) {
  if (words_.sleeping_owners.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard<std::mutex> lock(list_->mutex);
  for (SleepingOwner* owner = list_->oldest; owner != nullptr;
       owner = owner->newer) {
    if (!owner->roused && owner->handle != handle &&
        IsWithin(handle, owner->handle) && BecomeActiveLocked(owner)) {
      owner->roused = true;
      WakeOwner(owner->handle);
      return true;
    }
  }
  return false;
}

// The thread is counted first, and then compared with the limit, as workers do:
// if there is room for one thread, at most one of two begins.
bool SleepingOwners::BecomeActiveLocked(SleepingOwner* owner) {
  if (!owner->is_inactive) return true;
  words_.inactive.fetch_sub(1, std::memory_order_relaxed);
  if (!budget_.MayJoin()) {
    words_.inactive.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  owner->is_inactive = false;
  return true;
}

}  // namespace ceres::parallel::detail
