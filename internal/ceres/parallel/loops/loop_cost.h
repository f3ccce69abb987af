// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_LOOP_COST_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_LOOP_COST_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/loops/loop_tuning.h"

// How a site learns the cost of an element, and which loops are plain: short
// enough to run without the clock (plain_loop.cc).
//
// A site is trusted after kRunsToTrust plain runs in a row. Then each thread
// runs its loops as plain loops. The thread reads the clock about once in
// kCallsPerCheck, between two loops. If more than kMostCallsPerCheck have
// passed since the last reading, either the loops have become longer, or other
// work lies between them. Then the next loop is timed as others are. This tells
// the two cases apart, and takes little of the time that has passed.
//
// Costs are compared with the time of a function call on this machine, not with
// a number of nanoseconds. Reading the clock takes as long as some ten calls.
// That time is subtracted from the time of blocks and calls.
//
// All times are nanoseconds.

namespace ceres::parallel::detail {

// A pseudorandom number in [0, 1).
float RandomFraction();

// Whether to time this run of a loop that is not plain: true for one in
// `period` to 1.5 `period` of the runs for which the calling thread asks. One
// counter for all loops of the thread. The period varies, so that each of
// several loops that alternate is timed.
bool IsSampled(float period);

// The result of MeasureCallTime. 0: not measured yet.
inline std::atomic<float> known_call_time{0.0f};
// Sets known_call_time.
float MeasureCallTime();

// The time of a call of a function that is known only when the program runs.
inline float CallTime() {
  const float known = known_call_time.load(std::memory_order_relaxed);
  return known != 0.0f ? known : MeasureCallTime();
}

// The time that a call of the body and a reading of the clock add to a block.
inline float BlockOverhead(float call_time) {
  return kCallsPerBlock * call_time +
         base::nanoseconds_per_reading.load(std::memory_order_relaxed);
}

// Moves the cost of an element towards the sample: downwards at once, upwards
// by at most a factor of two. A preemption must not make a small loop look
// large.
inline void LearnCost(LoopMeasurements& measured, float sample) {
  const float known = measured.cost.load(std::memory_order_relaxed);
  const float updated = std::min(sample, 2.0f * known);
  // Most samples change little. Then the cache line stays shared.
  if (std::isinf(known) || std::fabs(updated - known) > 0.03f * known) {
    measured.cost.store(std::max(updated, 1e-3f), std::memory_order_relaxed);
  }
}

// Whether an element of this cost calls no function.
inline bool IsLight(float cost, float call_time) {
  return cost < kPlainShare * call_time;
}

// Counts `runs` runs of which one took this time for this number of elements:
// plain runs if the loop was short, or its elements were light. A run that took
// somewhat longer than a plain run was disturbed. A run that took much longer
// is of another kind, and the count starts again.
inline void LearnPlainRuns(LoopMeasurements& measured, std::int64_t elements,
                           float time, int runs) {
  constexpr float kMuchLonger = 4.0f;
  const float bound =
      CallTime() *
      std::max(kPlainCalls, kPlainShare * static_cast<float>(elements));
  const std::int32_t known =
      measured.plain_runs.load(std::memory_order_relaxed);
  std::int32_t updated = known;
  if (time > kMuchLonger * bound) {
    updated = 0;
  } else if (time < bound) {
    updated = std::min(known + runs, kRunsToTrust);
  }
  if (updated != known) {
    measured.plain_runs.store(updated, std::memory_order_relaxed);
  }
}

inline bool IsTrusted(const LoopMeasurements& measured) {
  return measured.plain_runs.load(std::memory_order_relaxed) >= kRunsToTrust;
}

// Runs a loop that no other thread can join. Learns as other loops do, so that
// the next run may be plain.
void RunUnshared(LoopMeasurements& measured, const ErasedBody& body,
                 std::int64_t n, std::int64_t elements);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_LOOP_COST_H_
