// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_FAILING_THREADS_H_
#define CERES_INTERNAL_PARALLEL_TESTING_FAILING_THREADS_H_

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "ceres/base/testing/injected_failures.h"

// For one source of a test program that links shared libraries: takes the place
// of pthread_create, which fails then as under RLIMIT_NPROC.

// NOLINTNEXTLINE(misc-definitions-in-headers)
extern "C" int pthread_create(pthread_t* thread,
                              const pthread_attr_t* attributes,
                              void* (*start)(void*), void* context) {
  using Function =
      int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  // Without a guard: the child of a fork would wait for another thread's guard.
  static std::atomic<Function> known{nullptr};
  Function real = known.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_create"));
    known.store(real, std::memory_order_relaxed);
  }
  if (ceres::parallel::testing_internal::thread_starts.FailsNow()) {
    return EAGAIN;
  }
  return real(thread, attributes, start, context);
}

#endif  // CERES_INTERNAL_PARALLEL_TESTING_FAILING_THREADS_H_
