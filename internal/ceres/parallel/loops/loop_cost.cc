// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/loops/loop_cost.h"

#include <functional>
#include <limits>

#include "ceres/base/clock.h"

namespace ceres::parallel::detail {
namespace {

// Out of line, so that compilers do not see what it calls.
CERES_PARALLEL_NOINLINE void CallEach(const std::function<void(int)>& function,
                                      int calls) {
  for (int i = 0; i < calls; ++i) function(i);
}

// A random number between base and 1.5 base.
std::int64_t Vary(float base) {
  thread_local std::uint32_t state = 0;
  state = state * 1664525u + 1013904223u;
  constexpr float kHalf = 0x1p-33f;
  return static_cast<std::int64_t>(base +
                                   base * kHalf * static_cast<float>(state));
}

}  // namespace

bool IsSampled(float period) {
  thread_local std::int64_t runs_to_sample = 0;
  // Loops of a longer period may have set the counter.
  const auto longest = static_cast<std::int64_t>(1.5f * period);
  runs_to_sample = std::min(runs_to_sample, longest) - 1;
  if (runs_to_sample > 0) return false;
  runs_to_sample = Vary(period);
  return true;
}

// The least of some measurements. Two threads may both measure it; either
// result will do.
float MeasureCallTime() {
  constexpr int kCalls = 64;
  int stored[kCalls];
  const std::function<void(int)> store = [&stored](int i) { stored[i] = i; };
  float least = std::numeric_limits<float>::infinity();
  for (int attempt = 0; attempt < 32; ++attempt) {
    const Ticks start = Now();
    CallEach(store, kCalls);
    least = std::min(least, Nanoseconds(Now() - start));
  }
  least -= nanoseconds_per_reading.load(std::memory_order_relaxed);
  const float call_time = std::max(least / kCalls, 0.1f);
  known_call_time.store(call_time, std::memory_order_relaxed);
  return call_time;
}

void RunWithoutWorkers(LoopSite& site, const ErasedBody& body, std::int64_t n,
                       std::int64_t elements) {
  const bool is_known =
      std::isfinite(site.cost.load(std::memory_order_relaxed));
  if (is_known && !IsSampled(kRunsPerSampleAlone)) {
    body(0, 0, n);
    return;
  }
  const float overhead = BlockOverhead(CallTime());
  const Ticks start = Now();
  body(0, 0, n);
  const float time = std::max(0.0f, Nanoseconds(Now() - start) - overhead);
  LearnCost(site, time / static_cast<float>(elements));
  LearnPlainRuns(site, elements, time, static_cast<int>(kRunsPerSampleAlone));
}

void RenewPlainLoops(const LoopSite& site, std::int64_t elements,
                     PlainLoops& plain) {
  if (!IsTrusted(site)) {
    plain = {};
    return;
  }
  const float cost = site.cost.load(std::memory_order_relaxed);
  plain.longest = LongestPlain(cost, kPlainCalls * CallTime());
  // The untimed runs are for the shorter loops at this place.
  if (elements > plain.longest) return;
  plain.untimed_runs = Vary(kPlainRunsPerSample);
}

}  // namespace ceres::parallel::detail
