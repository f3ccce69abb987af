// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_PLAIN_LOOP_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_PLAIN_LOOP_H_

#include <cstdint>

#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/detail/participation.h"

// Which loops run as plain loops (loop_cost.h, plain_loop.cc).

namespace ceres::parallel::detail {

// The value of PlainLoops::depth for loops that begin now. Only within plain
// loops it equals loop_depth: only those loops run inline.
inline std::int32_t PlainDepth() { return loop_depth | kInPlainLoop; }

// Returns true if the loop should run as a plain one. False for elements < 1.
inline bool IsPlain(PlainLoops& plain, std::int64_t elements) {
  return static_cast<std::uint64_t>(elements) - 1 <
             static_cast<std::uint64_t>(plain.longest) &&
         plain.depth == PlainDepth() && --plain.untimed_runs >= 0;
}

// Call it before a loop for which IsPlain was false. Returns true if the loop
// should run as a plain one nevertheless, because the last plain loops were as
// short as predicted.
bool ArePlainLoopsShort(std::int64_t elements, PlainLoops& plain);

// Call it after a loop that was not plain.
void RenewPlainLoops(const LoopSite& site, std::int64_t elements,
                     PlainLoops& plain);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_PLAIN_LOOP_H_
