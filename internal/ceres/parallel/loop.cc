// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/loop.h"

namespace ceres::parallel::detail {

void RunLoop(ThreadPool& pool, LoopSite& site, const ErasedBody& body,
             std::int64_t n, const LoopSettings& settings) {
  static_cast<void>(pool);
  static_cast<void>(site);
  static_cast<void>(settings);
  body(0, 0, n);
}

void RunLoop(Executor& executor, LoopSite& site, const ErasedBody& body,
             std::int64_t n, const LoopSettings& settings) {
  static_cast<void>(executor);
  static_cast<void>(site);
  static_cast<void>(settings);
  body(0, 0, n);
}

}  // namespace ceres::parallel::detail
