// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_CONTEXT_IMPL_H_
#define CERES_INTERNAL_EXECUTION_CONTEXT_IMPL_H_

#include "ceres/context.h"
#include "ceres/internal/export.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::internal {

// What a Context really is. Every Context is one: Context::Create makes nothing
// else.
class CERES_EXPORT ContextImpl final : public Context {
 public:
  ContextImpl();
  ~ContextImpl() override;

  // Has a worker for every thread but the caller asked for so far; none at
  // first.
  parallel::ThreadPool& thread_pool() { return thread_pool_; }

  // Makes loops of num_threads threads possible (a thread more or less is only
  // a number until a loop wants it). Never takes threads away. Thread-safe.
  void EnsureMinimumThreads(int num_threads);

 private:
  parallel::ThreadPool thread_pool_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_CONTEXT_IMPL_H_
