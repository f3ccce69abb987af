// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/fork.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/missed_savings.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/pool/publication.h"

// A published fork is a parallel region with one block and one participant
// slot. Its Publication lies on the heap, so that the frames of forks that are
// not published stay small.
//
// The frame of a fork lies in the stack of the thread that forked. Another
// thread reads it only between joining and leaving the region. The forking
// thread leaves its frame only when it has claimed the block itself or seen the
// helper leave (region.h). So the frame outlives all readers. Only the forking
// thread accesses the list and decides to publish.

namespace ceres::parallel::detail {
namespace {

void RunForkFrame(void* closure, int, std::int64_t, std::int64_t) {
  const ForkFrame& frame = *static_cast<const ForkFrame*>(closure);
  frame.function(frame.closure);
}

bool HasPrivateForks(const Participation& participation) {
  return participation.newest_published != participation.newest;
}

// Whether a fork of this thread is published and no thread has taken it.
bool IsForkPending(const Participation& participation) {
  const Publication* newest = participation.newest_published->publication;
  return newest != nullptr && RegionSlot::IsOpen(newest->handle());
}

void PublishOldestFork(Participation& participation) {
  ForkFrame& frame = *participation.newest_published->newer;
  std::unique_ptr<Publication> publication(new (std::nothrow) Publication);
  if (publication == nullptr) return;
  publication->frame.body = {&RunForkFrame, &frame};
  publication->frame.n = 1;
  publication->frame.blocks = 1;
  publication->frame.participant_slots = 1;
  // It is not known how long this thread takes for the first closure.
  publication->frame.block_cost = std::numeric_limits<float>::infinity();
  publication->frame.pool = participation.pool;
  publication->frame.loop_depth = loop_depth;
  // The pool counts the thread as one caller: for its first published fork,
  // which ends last.
  const bool is_first = participation.newest_published == &participation.bottom;
  const bool is_outer =
      is_first && (participation.outer == nullptr ||
                   participation.outer->pool != participation.pool);
  const std::int64_t begin = BeginTraceSlice();
  if (!publication->Open(participation.region, is_outer)) return;
  EndTraceSlice(TraceKind::kFork, begin, 0, publication->handle());
  frame.publication = publication.release();
  participation.newest_published = &frame;
  if (!participation.pool->IsAnyThreadSearching()) frame.publication->Invite();
}

void SetCutoff(PoolState& pool, std::uintptr_t below) {
  sequential_cutoff = {below, &pool.searching(), pool.owner()};
}

// Takes the published fork off the list. It is the newest, and all older forks
// are published.
std::unique_ptr<Publication> TakeOff(Participation& participation,
                                     ForkFrame& frame) {
  participation.newest = frame.older;
  participation.newest_published = frame.older;
  return std::unique_ptr<Publication>(frame.publication);
}

}  // namespace

void EnterFork(Participation& participation, ForkFrame& frame) {
  frame.older = participation.newest;
  participation.newest->newer = &frame;
  participation.newest = &frame;
  ++participation.num_entered;
  participation.forks_until_check = kForksPerCheck;
  const base::Ticks now = base::Now();
  frame.start = now;
  if (participation.last_heartbeat == 0) participation.last_heartbeat = now;
  PoolState& pool = *participation.pool;
  const bool heartbeat =
      base::Nanoseconds(now - participation.last_heartbeat) >= kHeartbeat;
  if (!heartbeat && !pool.AlwaysShares() && !pool.IsAnyThreadSearching())
    return;
  participation.last_heartbeat = now;
  if (HasPrivateForks(participation) && !IsForkPending(participation)) {
    PublishOldestFork(participation);
  }
}

void LearnFromFork(Participation& participation, const ForkFrame& frame,
                   std::uintptr_t depth, std::uint32_t entered_before) {
  const float elapsed = base::Nanoseconds(base::Now() - frame.start);
  if (elapsed < kShortFork) {
    if (participation.pool->AlwaysShares()) return;
    SetCutoff(*participation.pool,
              std::max(sequential_cutoff.below, depth + 1));
  } else if (elapsed > kLongFork && depth >= sequential_cutoff.below &&
             participation.num_entered == entered_before) {
    // Twice the distance, because the size of frames is not known.
    constexpr std::uintptr_t kSmallFrame = 64;
    const std::uintptr_t distance = depth - sequential_cutoff.below;
    sequential_cutoff.below =
        depth - std::min(depth, 2 * distance + kSmallFrame);
  }
}

void FinishPublishedFork(Participation& participation, ForkFrame& frame) {
  const std::unique_ptr<Publication> publication =
      TakeOff(participation, frame);
  // Runs the block here if no thread has taken it. It may throw.
  if (!publication->RunSome()) {
    const std::int64_t begin = BeginTraceSlice();
    publication->Wait();
    EndTraceSlice(TraceKind::kWait, begin, publication->handle());
  }
  if (publication->frame.error) {
    std::rethrow_exception(std::move(publication->frame.error));
  }
}

void AbandonFork(Participation& participation, ForkFrame& frame) noexcept {
  if (participation.newest_published != &frame) {
    participation.newest = frame.older;
    return;
  }
  const std::unique_ptr<Publication> publication =
      TakeOff(participation, frame);
  publication->Cancel();
  publication->Wait();
}

RootFork::RootFork(PoolState& pool, ForkSite& site)
    : site_(site),
      depth_(StackDepth()),
      start_(base::Now()),
      participation_(&pool, RegionOfThisThread()) {
  const float cost = site.cost.load(std::memory_order_relaxed);
  participation_.last_heartbeat = start_;
  if (cost > kWorthWaking || pool.AlwaysShares()) {
    // Known to take long, or not known: publishes the first fork at once.
    participation_.last_heartbeat = 1;
  }
  const std::ptrdiff_t entered_bytes =
      site.entered_bytes.load(std::memory_order_relaxed);
  if (entered_bytes > 0 && !pool.AlwaysShares()) {
    SetCutoff(pool, depth_ - entered_bytes);
  }
}

RootFork::~RootFork() {
  const base::Ticks end = base::Now();
  const float elapsed = base::Nanoseconds(end - start_);
  const float known = site_.cost.load(std::memory_order_relaxed);
  // Filtered towards the minimum, as the cost of loops is.
  const float cost = std::min(elapsed, 2.0f * known);
  if (std::isinf(known) || std::fabs(cost - known) > 0.03f * known) {
    site_.cost.store(cost, std::memory_order_relaxed);
  }
  // Most runs change it little. Then the cache line stays shared.
  const auto entered_bytes =
      static_cast<std::ptrdiff_t>(depth_ - sequential_cutoff.below);
  if (sequential_cutoff.below > 0 &&
      entered_bytes != site_.entered_bytes.load(std::memory_order_relaxed)) {
    site_.entered_bytes.store(std::max<std::ptrdiff_t>(1, entered_bytes),
                              std::memory_order_relaxed);
  }
  PoolState& pool = *participation_.pool;
  if (pool.NumAwake() == 0 && pool.NumWorkers() > 0) {
    NoteMissedSaving(pool, 0.5f * elapsed - kSharingCost, start_, end);
  }
}

}  // namespace ceres::parallel::detail
