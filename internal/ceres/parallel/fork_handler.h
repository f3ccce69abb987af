// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_FORK_HANDLER_H_
#define CERES_INTERNAL_PARALLEL_FORK_HANDLER_H_

namespace ceres::parallel::detail {

class PoolState;

// From registration on, PoolState::ResetAfterFork is called in the child of
// every fork() of the process, before fork() returns there. No-ops where there
// is no fork. Thread-safe.
void RegisterForFork(PoolState* pool);
void UnregisterForFork(PoolState* pool);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_FORK_HANDLER_H_
