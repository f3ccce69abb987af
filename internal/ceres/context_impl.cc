// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/context_impl.h"

#include "ceres/parallel/execution.h"

namespace ceres {

Context::Context() = default;
Context::~Context() = default;

Context* Context::Create() { return new internal::ContextImpl(); }

namespace internal {

ContextImpl::ContextImpl() : thread_pool_(0) {}
ContextImpl::~ContextImpl() = default;

void ContextImpl::EnsureMinimumThreads(int num_threads) {
  thread_pool_.EnsureMinimumWorkers(num_threads - 1);
}

parallel::ThreadPool& ThreadPoolOf(ContextImpl* context) {
  return context->thread_pool();
}

}  // namespace internal
}  // namespace ceres
