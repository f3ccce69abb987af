// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_

#include <cstdint>

namespace ceres::parallel {

class CancellationToken;

// How the range of a loop is cut into pieces, and who gets them.
enum class Schedule {
  // The caller begins alone. When what is left is worth it, it is cut into
  // blocks of some microseconds, of which participants take a share of what is
  // left at a time. Right for nearly all loops.
  kAdaptive,

  // Equal contiguous blocks, one per participant. Block k depends on the length
  // of the range and on max_threads alone (and on what the host has, if that is
  // 0); who runs it does not. For bodies that prepare something costly per
  // block, or that want to find last time's data in the cache.
  kStatic,

  // Blocks of exactly `grain` indices (the last may be shorter), claimed one by
  // one in order. For indices whose costs differ by orders of magnitude and
  // cannot be told beforehand; see also ParallelForByCost. A claim costs some
  // 10 to 100 ns.
  kDynamic,
};

struct LoopOptions {
  // The most threads at work in this loop, the caller included, and not more
  // than the host has. 0: as many as it has when the loop begins. 1: the loop
  // runs in the caller.
  int max_threads = 0;

  // The fewest indices that are worth a piece of their own; less than 1 counts
  // as 1. A loop of fewer than two grains runs in the caller.
  std::int64_t grain = 1;

  Schedule schedule = Schedule::kAdaptive;

  // Looked at before the first piece and between pieces; null: nothing can stop
  // the loop. Pieces, of a grain or more, are then cut by the measured cost of
  // an index so that the token is looked at about every 100 us. A pointer, so
  // that loops without a token cost nothing. The token must live as long as the
  // call. (Asynchronous loops keep a copy of the token.)
  const CancellationToken* token = nullptr;

  // For traces. Not copied: a string literal, or one that outlives the trace.
  // It belongs to the place of the loop in the program: loops of one place that
  // run at the same time with different names may be told under either, and
  // one without a name under the last.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_
