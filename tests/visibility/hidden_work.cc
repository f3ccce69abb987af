// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "hidden_work.h"

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/parallel/trace.h"

namespace {

using namespace ceres::parallel;  // NOLINT(google-build-using-namespace)

ThreadPool* PoolOfAsync(ThreadPool& pool) {
  return Async(pool, [] { return Async(&this_thread::Pool).Get(); }).Get();
}

void Fork(ThreadPool& pool, int depth, void (*leaf)()) {
  if (depth == 0) {
    leaf();
  } else {
    ParallelInvoke(
        pool, [&] { Fork(pool, depth - 1, leaf); },
        [&] { Fork(pool, depth - 1, leaf); });
  }
}

void Span() { const TraceSpan span("hidden span"); }

void ThrowCancelled() {
  ThreadPool pool(0);
  Future<void> future = Async(pool, [] {});
  future.Cancel();
  future.Get();
}

constexpr HiddenWork kWork = {&PoolOfAsync, &Fork, &Span, &ThrowCancelled};

}  // namespace

const HiddenWork* GetHiddenWork() { return &kWork; }
