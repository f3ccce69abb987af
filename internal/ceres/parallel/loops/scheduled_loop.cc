// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops with a schedule of their own, or with a token: bodies around the body
// of the user, on the adaptive loop of loop.cc.
//
//   kStatic   a loop over blocks, each of which is an index
//   kDynamic  a loop over participants, who claim blocks from a counter
//   a token   a body that cuts its range, and checks the token in between
//
// What bodies read was written before the loop around them was published, and
// what they write is seen after its wait (publication.h). So the shared data of
// scheduled_bodies.h and stoppable_body.h orders nothing, and all accesses are
// relaxed.
//
// All times are nanoseconds.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/loops/loop_run.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/scheduled_bodies.h"
#include "ceres/parallel/loops/stoppable_body.h"

namespace ceres::parallel::detail {
namespace {

// Runs blocks in the caller until others may join. Returns the time of the
// rest. Idle threads of a pool join a loop that is late. On a foreign executor
// only the caller sees that its blocks take longer than predicted.
float RunFirstBlocks(ThreadPool&, DynamicBody&, float predicted) {
  return predicted;
}
float RunFirstBlocks(Executor&, DynamicBody& body, float predicted) {
  const AtLoopDepth deeper(DepthInLoop());
  return body.RunAlone(predicted, kDynamicWorthInviting);
}

// Runs a loop of n indices of this cost around the body of the user.
template <typename Host>
void RunInnerLoop(Host& host, LoopSite& site, float cost,
                  const ErasedBody& body, std::int64_t n, int max_threads) {
  LoopMeasurements inner;
  inner.cost.store(cost, std::memory_order_relaxed);
  RunMeasuredLoop(host, inner, site.name, body, n, {max_threads, 1});
}

template <typename Host>
void RunStatic(Host& host, LoopSite& site, const ErasedBody& body,
               std::int64_t n, const LoopOptions& options, std::int64_t grain) {
  const int threads =
      options.max_threads > 0 ? options.max_threads : host.MaxConcurrency();
  const std::int64_t blocks =
      std::clamp<std::int64_t>(n / grain, 1, std::max(1, threads));
  StaticBody static_body(body, n, blocks);
  const float cost = site.measurements().cost.load(std::memory_order_relaxed);
  const float time = cost * static_cast<float>(n);
  RunInnerLoop(host, site, time / static_cast<float>(blocks),
               static_body.Erase(), blocks, threads);
  static_body.own_time().Teach(site.measurements());
}

template <typename Host>
void RunDynamic(Host& host, LoopSite& site, const ErasedBody& body,
                std::int64_t n, const LoopOptions& options,
                std::int64_t grain) {
  DynamicBody dynamic_body(body, n, grain);
  std::int64_t threads =
      std::min(host.MaxConcurrency(), kMaxDynamicParticipants);
  if (options.max_threads > 0) {
    threads = std::min<std::int64_t>(threads, options.max_threads);
  }
  threads = std::min(threads, dynamic_body.blocks());
  const float time = site.measurements().cost.load(std::memory_order_relaxed) *
                     static_cast<float>(n);
  const float rest =
      threads > 1 ? RunFirstBlocks(host, dynamic_body, time) : time;
  if (rest > 0.0f) {
    RunInnerLoop(host, site, rest / static_cast<float>(threads),
                 dynamic_body.Erase(), threads, static_cast<int>(threads));
  }
  dynamic_body.own_time().Teach(site.measurements());
}

template <typename Host>
void RunSchedule(Host& host, LoopSite& site, const ErasedBody& body,
                 std::int64_t n, const LoopOptions& options,
                 std::int64_t elements) {
  const std::int64_t grain = std::clamp<std::int64_t>(options.grain, 1, n);
  switch (options.schedule) {
    case Schedule::kAdaptive:
      RunMeasuredLoop(host, site.measurements(), site.name, body, n,
                      {options.max_threads, grain, elements});
      return;
    case Schedule::kStatic:
      RunStatic(host, site, body, n, options, grain);
      return;
    case Schedule::kDynamic:
      RunDynamic(host, site, body, n, options, grain);
      return;
  }
}

template <typename Host>
Status RunWithToken(Host& host, LoopSite& site, const ErasedBody& body,
                    std::int64_t n, const LoopOptions& options,
                    std::int64_t elements) {
  if (!options.token.CanCancel()) {
    RunSchedule(host, site, body, n, options, elements);
    return Status::kCompleted;
  }
  const float cost = site.measurements().cost.load(std::memory_order_relaxed);
  const float index_cost =
      elements > 0 ? cost * static_cast<float>(elements) / static_cast<float>(n)
                   : cost;
  StoppableBody stoppable(body, options.token, index_cost,
                          std::clamp<std::int64_t>(options.grain, 1, n));
  try {
    RunSchedule(host, site, stoppable.Erase(), n, options, elements);
  } catch (...) {
    // The time of a loop that was stopped is no measure of the cost.
    site.measurements().cost.store(cost, std::memory_order_relaxed);
    return stoppable.RethrowOrStatus();
  }
  return Status::kCompleted;
}

}  // namespace

Status RunLoopWithOptions(ThreadPool& pool, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options, std::int64_t elements) {
  return RunWithToken(pool, site, body, n, options, elements);
}

Status RunLoopWithOptions(Executor& executor, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options, std::int64_t elements) {
  if (ThreadPool* const pool = executor.AsThreadPool()) {
    return RunWithToken(*pool, site, body, n, options, elements);
  }
  return RunWithToken(executor, site, body, n, options, elements);
}

Status RunLoopWithOptions(LoopSite& site, const ErasedBody& body,
                          std::int64_t n, const LoopOptions& options,
                          std::int64_t elements) {
  SerialExecutor caller;
  return RunWithToken(caller, site, body, n, options, elements);
}

void ThrowRangeTooLong() {
  throw std::length_error(
      "ceres::parallel: a loop of more than 2^63 - 1 indices; cut it into two");
}

void ThrowNegativeBegin() {
  throw std::invalid_argument(
      "ceres::parallel: a loop begins at a negative index, but its index has "
      "an unsigned type, because the other bound has; give both the same type");
}

}  // namespace ceres::parallel::detail
