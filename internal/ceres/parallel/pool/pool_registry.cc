// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/pool_registry.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#include "ceres/base/platform.h"
#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {

namespace {

struct Registry {
  std::mutex mutex;  // Held across fork().
  std::vector<PoolState*> pools;
  ForkSteps* first_steps = nullptr;
};

Registry& TheRegistry();

// With the mutex held.
void Reserve(std::size_t num_pools) {
  for (ForkSteps* s = TheRegistry().first_steps; s != nullptr; s = s->next) {
    if (s->reserve != nullptr) s->reserve(static_cast<int>(num_pools));
  }
}
// Reserves are incomplete only in a child, which has used them.
void TryToReserve(std::size_t num_pools) noexcept {
  try {
    Reserve(num_pools);
  } catch (const std::bad_alloc&) {
  }
}

// If a child has no memory for the reserve of its own child, std::terminate
// ends the grandchild.
void BeforeFork() {
  Registry& registry = TheRegistry();
  registry.mutex.lock();
  TryToReserve(registry.pools.size());
  for (ForkSteps* s = registry.first_steps; s != nullptr; s = s->next) {
    s->before();
  }
}

void AfterForkInParent() {
  Registry& registry = TheRegistry();
  for (ForkSteps* s = registry.first_steps; s != nullptr; s = s->next) {
    s->after_in_parent();
  }
  registry.mutex.unlock();
}

void AfterForkInChild() {
  Registry& registry = TheRegistry();
  for (ForkSteps* s = registry.first_steps; s != nullptr; s = s->next) {
    s->after_in_child();
  }
  for (PoolState* pool : registry.pools) pool->ResetAfterFork();
  PoolState::LeaveAllAfterFork();
  registry.mutex.unlock();
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

void RegisterPool(PoolState* pool) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  Reserve(registry.pools.size() + 1);
  registry.pools.push_back(pool);
}

void UnregisterPool(PoolState* pool) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  auto& pools = registry.pools;
  pools.erase(std::remove(pools.begin(), pools.end(), pool), pools.end());
  TryToReserve(pools.size());
}

void AddForkSteps(ForkSteps* steps) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  steps->next = registry.first_steps;
  registry.first_steps = steps;
}

bool CallIfAlive(PoolState* pool, std::uint64_t id,
                 void (*function)(PoolState& pool, void* context),
                 void* context) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto& pools = registry.pools;
  const bool alive =
      std::find(pools.begin(), pools.end(), pool) != pools.end() &&
      pool->id() == id;
  if (alive) function(*pool, context);
  return alive;
}

}  // namespace ceres::parallel::detail
