// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_LOOP_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_LOOP_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/thread_pool.h"

// The interface between the loop templates and the runtime.

namespace ceres::parallel::detail {

// What a site has measured of its loops at one depth.
struct LoopMeasurements {
  // The time of an element, nanoseconds, filtered towards the minimum: chance
  // can slow a loop down, but not speed it up. Infinite: not known yet.
  std::atomic<float> cost{std::numeric_limits<float>::infinity()};

  // Serial time over (time of the published loop x participants). 1: all
  // participants were of full use. 1 / participants: helpers were of no use.
  std::atomic<float> efficiency{1.0f};

  // The number of plain runs in a row, by the clock. At most kRunsToTrust.
  std::atomic<std::int32_t> plain_runs{0};
};

// The measurements of a place in the source that runs a loop. There is one
// static object per instantiation. All threads that run the loop write to it,
// by relaxed atomics: a lost update does no harm, because the values only
// decide whether help is called, never a result. It is constant-initialized, so
// that it needs no guard.
//
// Measurements are kept by depth, because a recursive function runs loops of
// very different times at one place: the deeper, the shorter.
//
// The site predicts the time of a loop. Idle threads may join even a loop with
// a short predicted time in its first index (loop.cc, plain_loop.cc).
struct alignas(64) LoopSite {
  LoopMeasurements by_depth[kNumLoopDepths];

  // The LoopOptions::name of the last run that had one, for traces.
  std::atomic<const char*> name{nullptr};

  // The measurements of loops at the depth of the calling thread.
  LoopMeasurements& measurements() { return by_depth[LoopDepth()]; }
  const LoopMeasurements& measurements() const { return by_depth[LoopDepth()]; }

  void SetName(const char* new_name) {
    if (name.load(std::memory_order_relaxed) != new_name) {
      name.store(new_name, std::memory_order_relaxed);
    }
  }
};

// After this many plain runs in a row, short loops of the site run as plain
// loops.
inline constexpr std::int32_t kRunsToTrust = 256;

// The loops that a thread may run at a site as plain loops: loops of at most
// `longest` elements at this depth, until `untimed_runs` have run. Then the
// thread reads the clock. If the loops were as short as expected, more of them
// may run. Otherwise the next loop is timed. No other thread writes to this
// object, because loops of a few nanoseconds notice each instruction before
// them.
struct PlainLoops {
  std::int64_t longest = 0;
  std::int32_t untimed_runs = 0;
  // loop_depth, kInPlainLoop included.
  std::int32_t depth = -1;
  std::int32_t granted_runs = 0;  // The first value of untimed_runs.
  std::int64_t granted = 0;       // When, by the clock of base/clock.h.
};

// Returns true if the loop should run as a plain one, and inline, because it
// lies within a plain loop. False for elements < 1.
inline bool IsPlainInside(PlainLoops& plain, std::int64_t elements) {
  return plain.depth == loop_depth &&
         static_cast<std::uint64_t>(elements) - 1 <
             static_cast<std::uint64_t>(plain.longest) &&
         --plain.untimed_runs >= 0;
}

// The settings of an adaptive loop without a token.
struct LoopSettings {
  int max_threads = 0;     // 0: as many as the host has.
  std::int64_t grain = 1;  // The fewest indices in a piece.
  // The number of elements that all indices together stand for, if indices are
  // blocks or pieces whose length differs from run to run. 0: each index is an
  // element.
  std::int64_t elements = 0;
};

// Runs body over [0, n), alone or with help, and returns when all indices are
// done. Rethrows the first exception of a body. Requires n >= 1. `plain`: of
// the site and the calling thread.
CERES_PARALLEL_EXPORT void RunLoop(ThreadPool& pool, LoopSite& site,
                                   PlainLoops& plain, const ErasedBody& body,
                                   std::int64_t n,
                                   const LoopSettings& settings);
CERES_PARALLEL_EXPORT void RunLoop(Executor& executor, LoopSite& site,
                                   PlainLoops& plain, const ErasedBody& body,
                                   std::int64_t n,
                                   const LoopSettings& settings);

// Runs the loop with any options: with another schedule, or with a token.
// `elements`: as in LoopSettings.
CERES_PARALLEL_EXPORT Status RunLoopWithOptions(
    ThreadPool& pool, LoopSite& site, const ErasedBody& body, std::int64_t n,
    const LoopOptions& options, std::int64_t elements = 0);
CERES_PARALLEL_EXPORT Status RunLoopWithOptions(
    Executor& executor, LoopSite& site, const ErasedBody& body, std::int64_t n,
    const LoopOptions& options, std::int64_t elements = 0);
// Runs the loop in the caller alone.
CERES_PARALLEL_EXPORT Status RunLoopWithOptions(LoopSite& site,
                                                const ErasedBody& body,
                                                std::int64_t n,
                                                const LoopOptions& options,
                                                std::int64_t elements = 0);

// Errors in the bounds of a loop.
[[noreturn]] CERES_PARALLEL_EXPORT void ThrowRangeTooLong();
[[noreturn]] CERES_PARALLEL_EXPORT void ThrowNegativeBegin();

// end - begin, modulo 2^64.
template <typename Index>
constexpr std::int64_t Distance(Index begin, Index end) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(end) -
                                   static_cast<std::uint64_t>(begin));
}

// The number of indices from begin to end > begin.
template <typename Index>
inline std::int64_t LoopLength(Index begin, Index end) {
  const std::int64_t n = Distance(begin, end);
  if (n < 0) ThrowRangeTooLong();
  return n;
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_LOOP_H_
