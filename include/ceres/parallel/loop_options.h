// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_

#include <cstdint>

namespace ceres::parallel {

class CancellationToken;

// How the range of a loop is cut into pieces, and which participant gets them.
enum class Schedule {
  // The caller begins alone. When the rest is worth sharing, it is cut into
  // blocks of some microseconds. A participant takes a share of the blocks left
  // at a time. Right for nearly all loops.
  kAdaptive,

  // Equal contiguous blocks, one per participant. Block k depends only on the
  // length of the range and on max_threads (and on the concurrency of the host
  // if max_threads is 0). Which participant runs a block is not determined. For
  // bodies that prepare something expensive per block, or that want to find the
  // data of the last loop in the cache.
  kStatic,

  // Blocks of exactly `grain` indices (the last may be shorter), claimed one by
  // one in order. For indices whose costs differ by orders of magnitude and
  // cannot be predicted; see also ParallelForByCost. A claim takes some 10 to
  // 100 ns.
  kDynamic,
};

struct LoopOptions {
  // The most threads at work in this loop, the caller included, and not more
  // than the host has. 0: as many as the host has when the loop begins. 1: the
  // loop runs in the caller.
  int max_threads = 0;

  // The fewest indices in a piece. Less than 1 counts as 1. A loop of fewer
  // than two grains runs in the caller.
  std::int64_t grain = 1;

  Schedule schedule = Schedule::kAdaptive;

  // Checked before the first piece and between pieces. Null: nothing can stop
  // the loop. With a token, pieces of at least `grain` indices are cut by the
  // measured cost of an index, so that the token is checked about every 100 us.
  // A pointer, so that loops without a token cost nothing. The token must
  // outlive the call. (Asynchronous loops keep a copy of the token.)
  const CancellationToken* token = nullptr;

  // For traces. Not copied: a string literal, or one that outlives the trace.
  // The name belongs to the place of the loop in the source. Loops of one place
  // that run at the same time with different names may be recorded under either
  // name, and a loop without a name under the last one.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_
