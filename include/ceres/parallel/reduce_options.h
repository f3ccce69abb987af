// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_

#include <cstdint>

namespace ceres::parallel {

class CancellationToken;

// Reductions cut the range into at most 64 blocks, by its length and the grain
// alone, reduce the blocks in parallel, and combine their results in order, in
// the caller. So for one input the result has the same bits for every number of
// threads, every host and every run, and operations need to be associative, but
// not commutative. (Floating-point addition is not quite associative: the sum
// differs from that of a plain loop by rounding, always in the same way.)
//
// Exceptions of what is called reach the caller as in ParallelFor.
struct ReduceOptions {
  // The most threads at work, the caller included. 0: as many as the host has.
  int max_threads = 0;

  // The fewest indices or elements in a block. Part of what defines the result:
  // another grain means other blocks, and other rounding. 0: 256 where plain
  // numbers are combined as they lie there, else 1.
  std::int64_t grain = 0;

  // Looked at before each block; null: nothing can stop the reduction. One that
  // is stopped throws StoppedByToken. Need only live as long as the call.
  const CancellationToken* token = nullptr;

  // For traces. Not copied: a string literal, or one that outlives the trace.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_REDUCE_OPTIONS_H_
