// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/fork_handler.h"

#if defined(__unix__) || defined(__APPLE__)
#define CERES_PARALLEL_HAVE_FORK
#include <pthread.h>
#endif

#include <algorithm>
#include <mutex>
#include <vector>

#include "ceres/parallel/pool_state.h"

namespace ceres::parallel::detail {

#if defined(CERES_PARALLEL_HAVE_FORK)

namespace {

struct Registry {
  std::mutex mutex;  // Held across fork(), so that the child finds it in order.
  std::vector<PoolState*> pools;
};

Registry& TheRegistry() {
  static Registry* const registry = [] {
    pthread_atfork([] { TheRegistry().mutex.lock(); },
                   [] { TheRegistry().mutex.unlock(); },
                   [] {
                     for (PoolState* pool : TheRegistry().pools) {
                       pool->ResetAfterFork();
                     }
                     TheRegistry().mutex.unlock();
                   });
    return new Registry;
  }();
  return *registry;
}

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

#else

void RegisterForFork(PoolState*) {}
void UnregisterForFork(PoolState*) {}

#endif

}  // namespace ceres::parallel::detail
