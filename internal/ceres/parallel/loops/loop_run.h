// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_LOOP_RUN_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_LOOP_RUN_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ceres/parallel/detail/loop.h"

namespace ceres::parallel::detail {

// The depth of the bodies of a loop that begins where loop_depth has this
// value.
inline std::int32_t DepthWithin(std::int32_t depth) {
  return std::min(depth % kInPlainLoop + 1, kNumLoopDepths - 1);
}
inline std::int32_t DepthInLoop() { return DepthWithin(loop_depth); }

// RunLoop with these measurements, which need not belong to a site.
void RunMeasuredLoop(ThreadPool& pool, LoopMeasurements& measured,
                     const std::atomic<const char*>& name,
                     const ErasedBody& body, std::int64_t n,
                     const LoopSettings& settings);
void RunMeasuredLoop(Executor& executor, LoopMeasurements& measured,
                     const std::atomic<const char*>& name,
                     const ErasedBody& body, std::int64_t n,
                     const LoopSettings& settings);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_LOOP_RUN_H_
