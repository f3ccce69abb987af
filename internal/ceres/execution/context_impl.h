// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_CONTEXT_IMPL_H_
#define CERES_INTERNAL_EXECUTION_CONTEXT_IMPL_H_

#include "ceres/context.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::internal {

// The implementation of Context: every Context is a ContextImpl. Owns the
// thread pool of its solves. Thread-safe.
class ContextImpl final : public Context {
 public:
  ContextImpl();
  ~ContextImpl() override;

  // The implementation of a context, whose class may be the user's.
  static ContextImpl* Of(Context* context) { return context->impl_; }

  // Has no workers at first; see EnsureMinimumThreads.
  parallel::ThreadPool& thread_pool() { return thread_pool_; }

  // Makes loops of num_threads threads possible, the caller included. A worker
  // is started when a loop first needs it. Never removes workers.
  void EnsureMinimumThreads(int num_threads);

 private:
  parallel::ThreadPool thread_pool_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_CONTEXT_IMPL_H_
