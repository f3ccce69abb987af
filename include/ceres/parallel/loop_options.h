// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_
#define CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_

#include <cstdint>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::parallel {

// The way in which the range of a loop is cut into pieces, and pieces are
// assigned to participants.
enum class Schedule {
  // The caller begins alone. When the rest is worth sharing, it is cut into
  // blocks of some microseconds. A participant takes a share of the remaining
  // blocks at a time. Suits nearly all loops.
  kAdaptive,

  // Equal contiguous blocks, one per participant. Block k depends only on the
  // length of the range and on max_threads (and on the concurrency of the host
  // if max_threads is 0). Any participant may run any block. For bodies that
  // prepare something expensive per block, or that find the data of the last
  // loop in the cache.
  kStatic,

  // Blocks of exactly `grain` indices (the last may be shorter), claimed one by
  // one in order. For indices whose costs differ by orders of magnitude and
  // cannot be predicted; see also ParallelForByCost. A claim takes some 10 to
  // 100 ns.
  kDynamic,
};

// The options of a loop, a reduction or a scan.
//
// A reduction or a scan cuts its range into at most 64 blocks, by the length
// and the grain alone, and combines their results in order. A loop by cost cuts
// it into pieces of about equal cost. Each then runs a loop over its blocks or
// pieces, to which max_threads, schedule, token and name apply.
struct LoopOptions {
  // The largest number of threads that work in this loop, the caller included;
  // at most what the host has. 0: as many as the host has when the loop begins.
  // 1: the loop runs in the caller.
  int max_threads = 0;

  // The smallest number of indices or elements in a piece or block. 0 or less:
  // 1; but 256 in reductions of numbers without a map, and 512 in scans of
  // numbers. A loop of fewer than two grains runs in the caller. The bits of
  // reductions and scans depend on the grain, because another grain means other
  // blocks and other rounding.
  std::int64_t grain = 0;

  // The way in which the range, or the range of blocks, is cut. No result of a
  // reduction or scan depends on it.
  Schedule schedule = Schedule::kAdaptive;

  // Checked before the first piece and between pieces or blocks. An empty
  // token, which costs nothing: nothing can stop the loop. With a token, the
  // pieces of a loop have at least `grain` indices and are cut by the measured
  // time of an index, so that the token is checked about every 100 us. A
  // reduction that is stopped has no result and throws StoppedByToken.
  CancellationToken token{};

  // The name in traces; may be null. Not copied: a string literal, or a string
  // that outlives the trace. The name belongs to the place of the loop in the
  // source. Loops of one place that run at the same time with different names
  // may be recorded under either name, and a loop without a name under the last
  // one.
  const char* name = nullptr;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_LOOP_OPTIONS_H_
