// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_TESTS_VISIBILITY_HIDDEN_WORK_H_
#define CERES_TESTS_VISIBILITY_HIDDEN_WORK_H_

#include "ceres/parallel/thread_pool.h"

// The work of a shared library that shows nothing but this table.
struct HiddenWork {
  // The pool to which Async(f) goes inside a task of `pool`.
  ceres::parallel::ThreadPool* (*pool_of_async)(
      ceres::parallel::ThreadPool& pool);
  // Forks to this depth, and calls `leaf` at the bottom.
  void (*fork)(ceres::parallel::ThreadPool& pool, int depth, void (*leaf)());
  // Records a span called "hidden span".
  void (*span)();
  // Throws TaskCancelled.
  void (*throw_cancelled)();
};

extern "C" __attribute__((visibility("default"))) const HiddenWork*
GetHiddenWork();

#endif  // CERES_TESTS_VISIBILITY_HIDDEN_WORK_H_
