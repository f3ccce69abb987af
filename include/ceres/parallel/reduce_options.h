// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_

#include <cstdint>

namespace ceres::parallel {

class CancellationToken;

// Reductions cut the range into at most 64 blocks, by its length and the grain
// alone. They reduce the blocks in parallel, and combine the results in order,
// in the caller. So for one input the result has the same bits for every number
// of threads, every host and every run. Operations must be associative, but
// need not be commutative. (Floating-point addition is not quite associative:
// the sum differs from the sum of a plain loop by rounding, always in the same
// way.)
//
// Exceptions of functions that are called reach the caller as in ParallelFor.
struct ReduceOptions {
  // The most threads at work, the caller included. 0: as many as the host has.
  int max_threads = 0;

  // The fewest indices or elements in a block. The grain is a part of what
  // defines the result: another grain means other blocks and other rounding. 0:
  // 256 for elements that are numbers and are combined without a map, else 1.
  std::int64_t grain = 0;

  // Checked before each block. Null: nothing can stop the reduction. A
  // reduction that is stopped throws StoppedByToken. The token must outlive the
  // call.
  const CancellationToken* token = nullptr;

  // For traces. Not copied: a string literal, or one that outlives the trace.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_
