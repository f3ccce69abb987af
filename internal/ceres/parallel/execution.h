// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_EXECUTION_H_
#define CERES_INTERNAL_PARALLEL_EXECUTION_H_

#include <cstdint>

#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/stop_signal.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::internal {

class ContextImpl;

// Where loops run and with how many threads at most, the caller included. The
// default, no host or a single thread, means: in the caller. The context's
// pool needs no more workers than it has: see
// ContextImpl::EnsureMinimumThreads.
struct Execution {
  ContextImpl* context = nullptr;
  int num_threads = 1;
  // Where not null, its threads take the place of the context's.
  parallel::Executor* executor = nullptr;
  // What may take long looks at it now and then; null: nothing stops it.
  StopSignal* stop = nullptr;

  bool IsSerial() const {
    return (context == nullptr && executor == nullptr) || num_threads <= 1;
  }
};

// Throws Stopped if the solve is to stop.
inline void CheckStop(const Execution& exec) {
  if (exec.stop != nullptr) exec.stop->Check();
}

// The pool that a context owns. context is not null.
parallel::ThreadPool& ThreadPoolOf(ContextImpl* context);

// The host of an Execution's loops, for the templates of the runtime.
struct LoopHost {
  ContextImpl* context;
  parallel::Executor* executor;
};
void RunLoop(LoopHost host, parallel::detail::LoopSite& site,
             parallel::detail::ErasedBody body, std::int64_t n,
             parallel::detail::LoopSettings settings);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PARALLEL_EXECUTION_H_
