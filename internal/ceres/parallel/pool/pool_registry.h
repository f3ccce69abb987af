// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_POOL_REGISTRY_H_
#define CERES_INTERNAL_PARALLEL_POOL_POOL_REGISTRY_H_

#include <cstdint>

namespace ceres::parallel::detail {

class PoolState;

// The pools of the process, and what happens to the runtime around fork().
//
// After registration, PoolState::ResetAfterFork is called in the child of every
// fork() of the process, before fork() returns there. Without fork(), nothing
// is called. The lock of the registry, and the locks of the steps below, are
// held across fork(), so that their data are consistent in the child.
// Thread-safe.
void RegisterPool(PoolState* pool);
void UnregisterPool(PoolState* pool);

// What a layer above does around fork(), for data that no pool owns. Lives for
// ever. In the child, it is called before the pools are reset.
struct ForkSteps {
  void (*before)();
  void (*after_in_parent)();
  void (*after_in_child)();
  // Null, or: reserves what the child needs to reset that number of pools
  // without memory. Called before a pool is registered, when it may throw
  // std::bad_alloc, after it was unregistered, and before a fork.
  void (*reserve)(int num_pools) = nullptr;
  ForkSteps* next = nullptr;
};
// Call it when the program is loaded, with no lock of the steps held.
void AddForkSteps(ForkSteps* steps);

// If the pool is registered and has the id: calls function(pool, context), with
// the lock of the registry held, and returns true.
bool CallIfAlive(PoolState* pool, std::uint64_t id,
                 void (*function)(PoolState& pool, void* context),
                 void* context);
template <typename F>
bool CallIfAlive(PoolState* pool, std::uint64_t id, F f) {
  return CallIfAlive(
      pool, id,
      [](PoolState& alive, void* context) {
        (*static_cast<F*>(context))(alive);
      },
      &f);
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_POOL_REGISTRY_H_
