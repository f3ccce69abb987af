// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_

#include <cstdint>

#include "ceres/parallel/detail/language.h"

namespace ceres::parallel {

class CancellationToken;

// The options of a reduction.
//
// Reductions cut the range into at most 64 blocks, by its length and the grain
// alone. They reduce the blocks in parallel and combine the results in order,
// in the caller. For one input the result therefore has the same bits for every
// number of threads, every host and every run. Operations must be associative,
// but need not be commutative. (Floating-point addition is not exactly
// associative: the sum differs from the sum of a plain loop by rounding, always
// in the same way.)
//
// Exceptions of functions that are called reach the caller as in ParallelFor.
struct ReduceOptions {
  // The largest number of threads that work, the caller included. 0: as many as
  // the host has.
  int max_threads = 0;

  // The smallest number of indices or elements in a block. 0: 256 for elements
  // that are numbers and are combined without a map, else 1. The result depends
  // on the grain, because another grain means other blocks and other rounding.
  std::int64_t grain = 0;

  // Checked before each block. Null: nothing can stop the reduction. A
  // reduction that is stopped throws StoppedByToken. The token must outlive the
  // call.
  const CancellationToken* token = nullptr;

  // The name in traces; may be null. Not copied: a string literal, or a string
  // that outlives the trace.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_
