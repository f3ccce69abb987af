// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/loops/loop_cost.h"

#include <functional>
#include <limits>

#include "ceres/base/clock.h"

namespace ceres::parallel::detail {
namespace {

// A plain loop that is timed takes so much longer. Samples may take half a
// hundredth of the time.
constexpr float kSampleCost = 150.0f;
constexpr float kMaxSampleShare = 0.005f;
constexpr float kTimeBetweenSamples = kSampleCost / kMaxSampleShare;
// Without a look at the clock.
constexpr std::int64_t kMostPlainCalls = 512;

// Out of line, so that compilers do not see what it calls.
[[gnu::noinline]] void CallEach(const std::function<void(int)>& function,
                                int calls) {
  for (int i = 0; i < calls; ++i) function(i);
}

}  // namespace

std::int64_t Vary(float base) {
  thread_local std::uint32_t state = 0;
  state = state * 1664525u + 1013904223u;
  constexpr float kHalf = 0x1p-33f;
  return static_cast<std::int64_t>(base +
                                   base * kHalf * static_cast<float>(state));
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
  constexpr int kCallsToSample = 48;
  thread_local std::int64_t calls_to_sample = 0;
  const bool is_known =
      std::isfinite(site.cost.load(std::memory_order_relaxed));
  if (is_known && --calls_to_sample >= 0) {
    body(0, 0, n);
    return;
  }
  calls_to_sample = Vary(kCallsToSample);
  const float overhead = BlockOverhead(CallTime());
  const Ticks start = Now();
  body(0, 0, n);
  const float time = std::max(0.0f, Nanoseconds(Now() - start) - overhead);
  LearnCost(site, time / static_cast<float>(elements));
  LearnPlainRuns(site, elements, time, kCallsToSample);
}

bool ExtendPlainLoops(std::int64_t elements, PlainLoops& plain) {
  if (elements > plain.longest || plain.calls >= 0) return false;
  // Less than nothing: a virtual machine has been moved, or a thread to a cpu
  // whose counter is behind.
  const Ticks since = Now() - plain.timed_at;
  if (since < 0 || Nanoseconds(since) > kTimeBetweenSamples) return false;
  plain.calls = kMostPlainCalls;
  return true;
}

void RenewPlainLoops(const LoopSite& site, std::int64_t elements,
                     PlainLoops& plain) {
  if (!IsTrusted(site)) {
    plain = {};
    return;
  }
  const float cost = site.cost.load(std::memory_order_relaxed);
  plain.longest = LongestPlain(cost, kPlainCalls * CallTime());
  // Longer loops leave the calls to shorter ones.
  if (elements > plain.longest) return;
  plain.calls = std::min(
      kMostPlainCalls,
      Vary(kTimeBetweenSamples / (cost * static_cast<float>(elements))));
  plain.timed_at = Now();
}

}  // namespace ceres::parallel::detail
