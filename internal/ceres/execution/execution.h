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

// The host of loops, and the number of threads that a loop may use, the caller
// included. Without a host, or with one thread, loops run in the caller. A
// value; it owns nothing. The pool of the context needs enough workers
// (ContextImpl::EnsureMinimumThreads).
struct Execution {
  ContextImpl* context = nullptr;
  int num_threads = 1;
  // If not null, loops use its threads and not those of the context.
  parallel::Executor* executor = nullptr;
  // Checked between the parts of long computations; null: nothing stops them.
  StopSignal* stop = nullptr;
  // If the execution is serial: threads for computations that turn out to be
  // long. Null: there are none.
  ThreadsOnDemand* on_demand = nullptr;

  bool IsSerial() const {
    return (context == nullptr && executor == nullptr) || num_threads <= 1;
  }
};

// Threads that are created when they are first needed, for problems whose solve
// is mostly shorter than the creation of threads. For one thread at a time.
class ThreadsOnDemand {
 public:
  virtual ~ThreadsOnDemand() = default;

  // The number of threads, the caller included: more than 1.
  virtual int num_threads() const = 0;
  // Creates the threads. Returns `serial` with their host and number.
  virtual Execution Make(const Execution& serial) = 0;
};

// The largest number of threads, those on demand included.
inline int MostThreads(const Execution& exec) {
  return exec.IsSerial() && exec.on_demand != nullptr
             ? exec.on_demand->num_threads()
             : exec.num_threads;
}

// Throws Stopped if the solve must stop.
inline void CheckStop(const Execution& exec) {
  if (exec.stop != nullptr) exec.stop->Check();
}

// The pool of a context, which is not null.
parallel::ThreadPool& ThreadPoolOf(ContextImpl* context);

// The host of the loops of an Execution, for the templates of the runtime.
struct LoopHost {
  ContextImpl* context;
  parallel::Executor* executor;
};
void RunLoop(LoopHost host, parallel::detail::LoopSite& site,
             parallel::detail::PlainLoops& plain,
             const parallel::detail::ErasedBody& body, std::int64_t n,
             const parallel::detail::LoopSettings& settings);
void RunLoopWithOptions(LoopHost host, parallel::detail::LoopSite& site,
                        const parallel::detail::ErasedBody& body,
                        std::int64_t n, const parallel::LoopOptions& options);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_EXECUTION_H_
