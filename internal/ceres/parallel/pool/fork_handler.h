// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_FORK_HANDLER_H_
#define CERES_INTERNAL_PARALLEL_POOL_FORK_HANDLER_H_

#include <cstdint>

namespace ceres::parallel::detail {

class TaskQueue;
class PoolState;

// The registry of all pools of the process. After registration,
// PoolState::ResetAfterFork is called in the child of every fork() of the
// process, before fork() returns there. Without fork(), nothing is called. The
// locks of the registry, of free nodes and of the store of queues are held
// across fork(), so that their data are consistent in the child. Other locks
// that a thread may hold without work of a pool are freed in the child: those
// of task sets (late invitations) and of queues whose pool is gone (owners of
// futures). Such threads change no data of a set that is free, and no child
// waits for a set that was in use before the fork. Thread-safe.
void RegisterForFork(PoolState* pool);
void UnregisterForFork(PoolState* pool);

// Returns whether the pool is registered and has the id. If so, and if `queue`
// is not null, returns the queue to the pool.
bool ReturnQueueIfAlive(PoolState* pool, std::uint64_t id, TaskQueue* queue);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_FORK_HANDLER_H_
