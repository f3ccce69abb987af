// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/fork_handler.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "ceres/base/platform.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_nodes.h"

namespace ceres::parallel::detail {

namespace {

struct Registry {
  std::mutex mutex;  // Held across fork().
  std::vector<PoolState*> pools;
};

Registry& TheRegistry();

void BeforeFork() {
  TheRegistry().mutex.lock();
  LockNodesForFork();
  LockQueueStoreForFork();
}

void AfterForkInParent() {
  UnlockQueueStoreAfterFork();
  UnlockNodesAfterFork();
  TheRegistry().mutex.unlock();
}

void AfterForkInChild() {
  FreeStoredQueuesInChild();
  FreeTaskSetsInChild();
  UnlockQueueStoreAfterFork();
  UnlockNodesAfterFork();
  for (PoolState* pool : TheRegistry().pools) pool->ResetAfterFork();
  PoolState::LeaveAllAfterFork();
  TheRegistry().mutex.unlock();
}

Registry& TheRegistry() {
  static Registry* const registry = [] {
    platform::AtFork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
    return new Registry;
  }();
  return *registry;
}

// Made when the program is loaded. A child that is forked while another thread
// is inside the guard of the variable would wait for ever.
[[maybe_unused]] const Registry& registry_at_load = TheRegistry();

}  // namespace

void RegisterForFork(PoolState* pool) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.pools.push_back(pool);
}

void UnregisterForFork(PoolState* pool) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  auto& pools = registry.pools;
  pools.erase(std::remove(pools.begin(), pools.end(), pool), pools.end());
}

bool ReturnQueueIfAlive(PoolState* pool, std::uint64_t id, TaskQueue* queue) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto& pools = registry.pools;
  const bool alive =
      std::find(pools.begin(), pools.end(), pool) != pools.end() &&
      pool->queues().pool_id() == id;
  if (alive && queue != nullptr) pool->queues().Return(queue);
  return alive;
}

}  // namespace ceres::parallel::detail
