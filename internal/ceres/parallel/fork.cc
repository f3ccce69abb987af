// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/fork.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "ceres/parallel/clock.h"
#include "ceres/parallel/missed_savings.h"
#include "ceres/parallel/pool_state.h"
#include "ceres/parallel/publication.h"

// A published fork is a group with one block and one seat. Its Publication
// comes from the heap, so that the frames of forks that nobody takes stay
// small.
//
// The frame of a fork lies in the stack of the thread that forked. Another
// thread reads it between joining the group and leaving it, and the forking
// thread leaves its frame only when it has claimed the block itself or seen the
// other leave (group.h): the frame outlives all readers. The list itself, and
// the decision to publish, belong to the forking thread alone.

namespace ceres::parallel::detail {
namespace {

// Forks looked at together when they follow each other closely.
constexpr int kMaxPollInterval = 64;
constexpr float kDenseForks = 1000.0f;  // Nanoseconds between two looks.
// How often a thread calls somebody although nobody is awake to ask for work.
constexpr float kHeartbeat = kWorthWaking;
// With somebody awake, what takes longer than this is worth sharing.
constexpr float kSharingCost = 500.0f;

void RunForkFrame(void* closure, int, std::int64_t, std::int64_t) {
  const ForkFrame& frame = *static_cast<const ForkFrame*>(closure);
  frame.function(frame.closure);
}

bool HasPrivateForks(const Participation& participation) {
  return participation.newest_published != participation.newest;
}

// A fork of this thread that was offered and still lies there.
bool IsOfferPending(const Participation& participation) {
  const Publication* offer = participation.newest_published->publication;
  return offer != nullptr && GroupSlot::IsOpen(offer->handle());
}

void OfferOldestFork(Participation& participation) {
  ForkFrame& frame = *participation.newest_published->newer;
  std::unique_ptr<Publication> publication(new (std::nothrow) Publication);
  if (publication == nullptr) return;
  publication->frame.body = {&RunForkFrame, &frame};
  publication->frame.n = 1;
  publication->frame.blocks = 1;
  publication->frame.seats = 1;
  publication->frame.pool = participation.pool;
  // Of a thread's forks only the first published one, which ends last, stands
  // for the thread: the pool counts one caller, not one per fork.
  const bool is_first = participation.newest_published == &participation.bottom;
  const bool is_outer =
      is_first && (participation.outer == nullptr ||
                   participation.outer->pool != participation.pool);
  if (!publication->Open(participation.group, is_outer)) return;
  frame.publication = publication.release();
  participation.newest_published = &frame;
  if (!participation.pool->IsAnyoneHungry()) frame.publication->Invite();
}

// Takes the published fork off the list. It was the newest, and all older ones
// are published.
std::unique_ptr<Publication> TakeOff(Participation& participation,
                                     ForkFrame& frame) {
  participation.newest = frame.older;
  participation.newest_published = frame.older;
  return std::unique_ptr<Publication>(frame.publication);
}

}  // namespace

void PollForks(Participation& participation) {
  const Ticks now = Now();
  const bool dense = Nanoseconds(now - participation.last_poll) < kDenseForks;
  participation.last_poll = now;
  participation.poll_interval =
      dense ? std::min(2 * participation.poll_interval, kMaxPollInterval) : 1;
  participation.forks_to_poll = participation.poll_interval;
  if (participation.last_heartbeat == 0) participation.last_heartbeat = now;
  PoolState& pool = *participation.pool;
  const bool heartbeat =
      Nanoseconds(now - participation.last_heartbeat) >= kHeartbeat;
  const bool eager = pool.AlwaysShares();
  if (eager) participation.forks_to_poll = 1;
  if (!heartbeat && !eager && !pool.IsAnyoneHungry()) return;
  participation.last_heartbeat = now;
  if (HasPrivateForks(participation) && !IsOfferPending(participation)) {
    OfferOldestFork(participation);
  }
}

void FinishPublishedFork(Participation& participation, ForkFrame& frame) {
  const std::unique_ptr<Publication> publication =
      TakeOff(participation, frame);
  // If nobody has taken it, runs it here; it may throw.
  if (publication->RunSome()) return;
  publication->Wait();
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
      start_(Now()),
      participation_(&pool, current_participation != nullptr
                                ? current_participation->group
                                : 0) {
  const float cost = site.cost.load(std::memory_order_relaxed);
  participation_.last_poll = start_;
  participation_.last_heartbeat = start_;
  if (cost > kWorthWaking || pool.AlwaysShares()) {
    // Known to take long, or not known: the first fork is offered at once.
    participation_.last_heartbeat = 1;
  } else if (cost < 2.0f * kSharingCost) {
    participation_.forks_to_poll = kMaxPollInterval;
    participation_.poll_interval = kMaxPollInterval;
  }
}

RootFork::~RootFork() {
  const Ticks end = Now();
  const float elapsed = Nanoseconds(end - start_);
  const float known = site_.cost.load(std::memory_order_relaxed);
  // Filtered towards the minimum, as the cost of loops.
  const float cost = std::min(elapsed, 2.0f * known);
  if (std::isinf(known) || std::fabs(cost - known) > 0.03f * known) {
    site_.cost.store(cost, std::memory_order_relaxed);
  }
  PoolState& pool = *participation_.pool;
  if (pool.NumAwake() == 0 && pool.NumWorkers() > 0) {
    NoteMissedSaving(pool, 0.5f * elapsed - kSharingCost, start_, end);
  }
}

}  // namespace ceres::parallel::detail
