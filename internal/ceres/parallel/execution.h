// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_EXECUTION_H_
#define CERES_INTERNAL_PARALLEL_EXECUTION_H_

#include "ceres/parallel/thread_pool.h"

namespace ceres::internal {

class ContextImpl;

// Where loops run and with how many threads at most, the caller included. The
// default, a null context or a single thread mean: in the caller. The context's
// pool needs no more workers than it has: see
// ContextImpl::EnsureMinimumThreads.
struct Execution {
  ContextImpl* context = nullptr;
  int num_threads = 1;

  bool IsSerial() const { return context == nullptr || num_threads <= 1; }
};

// The pool that a context owns. context is not null.
parallel::ThreadPool& ThreadPoolOf(ContextImpl* context);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PARALLEL_EXECUTION_H_
