// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_PARALLEL_INVOKE_H_
#define CERES_PUBLIC_PARALLEL_PARALLEL_INVOKE_H_

#include <utility>

#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// Calls f and g, each once, perhaps at the same time, and returns when both
// have returned.
template <typename F, typename G>
inline void ParallelInvoke(ThreadPool& pool, F&& f, G&& g) {
  static_cast<void>(pool);
  f();
  g();
}

template <typename F, typename G, typename H, typename... Rest>
inline void ParallelInvoke(ThreadPool& pool, F&& f, G&& g, H&& h,
                           Rest&&... rest) {
  ParallelInvoke(pool, std::forward<F>(f), [&] {
    ParallelInvoke(pool, std::forward<G>(g), std::forward<H>(h),
                   std::forward<Rest>(rest)...);
  });
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_PARALLEL_INVOKE_H_
