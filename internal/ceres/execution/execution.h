// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_EXECUTION_H_
#define CERES_INTERNAL_EXECUTION_EXECUTION_H_

#include <cstdint>

#include "ceres/execution/stop_signal.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::internal {

class ContextImpl;
class ThreadsOnDemand;

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
  // Where the rest says serial: threads for what turns out to be worth them all
  // the same. Null: there are none.
  ThreadsOnDemand* on_demand = nullptr;

  bool IsSerial() const {
    return (context == nullptr && executor == nullptr) || num_threads <= 1;
  }
};

// Threads that are made when they are first wanted: they would take longer to
// make than most solves of this size. For one thread at a time.
class ThreadsOnDemand {
 public:
  virtual ~ThreadsOnDemand() = default;

  // How many there will be at most, the caller included: more than 1.
  virtual int num_threads() const = 0;
  // `serial` with host and number of threads.
  virtual Execution Make(const Execution& serial) = 0;
};

// How many threads there may be, those on demand included.
inline int MostThreads(const Execution& exec) {
  return exec.IsSerial() && exec.on_demand != nullptr
             ? exec.on_demand->num_threads()
             : exec.num_threads;
}

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
             const parallel::detail::ErasedBody& body, std::int64_t n,
             parallel::detail::LoopSettings settings);
void RunLoopWithOptions(LoopHost host, parallel::detail::LoopSite& site,
                        const parallel::detail::ErasedBody& body,
                        std::int64_t n, const parallel::LoopOptions& options);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_EXECUTION_H_
