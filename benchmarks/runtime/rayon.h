// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_RAYON_H_
#define VESTA_BENCHMARKS_RUNTIME_RAYON_H_

#include <cstdint>

// The C functions of ../rayon/vesta_rayon.rs. Those without a pool are called
// within vesta_rayon_install, or something that it calls.

extern "C" {

struct VestaRayonCallback {
  void (*function)(void* closure, std::int64_t k);
  void* closure;
};

void* vesta_rayon_pool_new(std::int32_t threads);
void vesta_rayon_pool_free(void* pool);

// Calls body(0) in a thread of the pool, and returns after it.
void vesta_rayon_install(const void* pool, VestaRayonCallback body);
// Calls task(0) in a thread of the pool, some time.
void vesta_rayon_spawn(const void* pool, VestaRayonCallback task);

// Spawns task(0) ... task(tasks - 1) in a scope, and returns when all are done.
void vesta_rayon_spawn_and_await(std::int64_t tasks, VestaRayonCallback task);
// Calls body(k) for k in [0, n) by a parallel iterator.
void vesta_rayon_loop(std::int64_t n, VestaRayonCallback body);
// Counts to n by a parallel iterator, one addition after the other.
std::int64_t vesta_rayon_count(std::int64_t n);
// Calls task(0) and task(1) by join.
void vesta_rayon_join(VestaRayonCallback task);

// Recursions: by join, and by a scope that spawns one of the two calls.
std::int64_t vesta_rayon_fibonacci_join(std::int32_t n);
std::int64_t vesta_rayon_fibonacci_scope(std::int32_t n);
}

#endif  // VESTA_BENCHMARKS_RUNTIME_RAYON_H_
