// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_INVITE_EXECUTOR_H_
#define CERES_INTERNAL_PARALLEL_POOL_INVITE_EXECUTOR_H_

#include "ceres/parallel/executor.h"
#include "ceres/parallel/regions/region_word.h"

namespace ceres::parallel::detail {

// Hands the executor an invitation to the region or task set. If the executor
// throws, it has not taken the invitation, and the work is done without help.
// Returns whether the executor has taken it.
inline bool InviteExecutor(Executor* executor, RegionHandle handle) noexcept {
  try {
    return executor->Invite(Invitation(handle));
  } catch (...) {
    return false;
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_INVITE_EXECUTOR_H_
