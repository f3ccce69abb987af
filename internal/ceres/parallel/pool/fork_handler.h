// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_FORK_HANDLER_H_
#define CERES_INTERNAL_PARALLEL_POOL_FORK_HANDLER_H_

#include <cstdint>

namespace ceres::parallel::detail {

class TaskQueue;
class PoolState;

// From registration on, PoolState::ResetAfterFork is called in the child of
// every fork() of the process, before fork() returns there, if there is fork()
// at all. Thread-safe.
void RegisterForFork(PoolState* pool);
void UnregisterForFork(PoolState* pool);

// Whether the pool is registered and has that id. If so, and if a queue is
// given, returns it to the pool.
bool ReturnQueueIfAlive(PoolState* pool, std::uint64_t id, TaskQueue* queue);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_FORK_HANDLER_H_
