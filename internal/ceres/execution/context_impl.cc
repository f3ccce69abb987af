// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/context_impl.h"

#include <cstdint>

#include "ceres/execution/execution.h"

namespace ceres {

Context::Context() : impl_(new internal::ContextImpl()) {}
Context::~Context() {
  if (static_cast<Context*>(impl_) != this) delete impl_;
}

Context* Context::Create() { return new Context(); }

namespace internal {

ContextImpl::ContextImpl() : Context(this), thread_pool_(0) {}
ContextImpl::~ContextImpl() = default;

void ContextImpl::EnsureMinimumThreads(int num_threads) {
  thread_pool_.EnsureMinimumWorkers(num_threads - 1);
}

parallel::ThreadPool& ThreadPoolOf(ContextImpl* context) {
  return context->thread_pool();
}

void RunLoop(LoopHost host, parallel::detail::LoopSite& site,
             parallel::detail::PlainLoops& plain,
             const parallel::detail::ErasedBody& body, std::int64_t n,
             const parallel::detail::LoopSettings& settings) {
  if (host.executor == nullptr) {
    parallel::detail::RunLoop(ThreadPoolOf(host.context), site, plain, body, n,
                              settings);
  } else {
    parallel::detail::RunLoop(*host.executor, site, plain, body, n, settings);
  }
}

void RunLoopWithOptions(LoopHost host, parallel::detail::LoopSite& site,
                        const parallel::detail::ErasedBody& body,
                        std::int64_t n, const parallel::LoopOptions& options) {
  if (host.executor == nullptr) {
    parallel::detail::RunLoopWithOptions(ThreadPoolOf(host.context), site, body,
                                         n, options);
  } else {
    parallel::detail::RunLoopWithOptions(*host.executor, site, body, n,
                                         options);
  }
}

}  // namespace internal
}  // namespace ceres
