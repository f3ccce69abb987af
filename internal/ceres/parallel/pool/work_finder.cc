// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/work_finder.h"

#include "ceres/base/clock.h"
#include "ceres/base/intrinsics.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/pool/fresh_stack.h"
#include "ceres/parallel/pool/publication.h"
#include "ceres/parallel/regions/region_handle.h"

namespace ceres::parallel::detail {
namespace {

// Pauses if the task was so short that claiming it took longer than running it.
void PauseAfterShortTask(base::Ticks begun) {
  if (base::Nanoseconds(base::Now() - begun) <= kShortTask)
    base::PauseFor(kGatherTime);
}

}  // namespace

bool WorkFinder::HelpOnce(Searcher* searcher) {
  for (int k = 0; k < JoinBoard::kSize; ++k) {
    const std::uint64_t entry = words_.board.At(k);
    if (entry == 0 || entry == searcher->seen[k]) continue;
    const RegionHandle handle = JoinBoard::Handle(entry);
    if (handle == searcher->last_handle ||
        (searcher->ancestor != 0 && !IsWithin(handle, searcher->ancestor)) ||
        (searcher->tasks_of != nullptr &&
         !IsWithinTaskOf(handle, searcher->tasks_of))) {
      searcher->seen[k] = entry;
      continue;
    }
    base::PrefetchForWriting(RegionSlot::Of(handle));
    base::PrefetchForReading(searcher->last_closure);
    const Turnout turnout = JoinAndHelp(
        {handle}, searcher->is_worker ? budget_.NumCallers() : 0, searcher);
    if (turnout == Turnout::kFull) continue;
    searcher->seen[k] = entry;
    if (turnout == Turnout::kHelped) return true;
  }
  return false;
}

WorkFinder::Turnout WorkFinder::JoinAndHelp(RegionSlot::RegionSnapshot snapshot,
                                            int callers, Searcher* searcher) {
  const bool is_worker = searcher->is_worker;
  if (is_worker && !budget_.BeginWork(callers)) return Turnout::kFull;
  const RegionHandle handle = snapshot.handle;
  RegionSlot& slot = *RegionSlot::Of(handle);
  const RegionSlot::JoinResult joined = slot.TryJoin(snapshot);
  Turnout turnout = Turnout::kGone;
  if (joined.participant > 0) {
    turnout = Turnout::kHelped;
    parking_.TurnToWork(searcher, handle, [&] {
      searcher->last_closure = slot.remote_closure();
      searcher->last_handle = handle;
      RunAsHelper(slot, handle, joined);
    });
  }
  if (is_worker) budget_.EndWork();
  return turnout;
}

bool WorkFinder::HelpLate(Searcher* searcher) {
  const base::Ticks now = base::Now();
  if (base::Nanoseconds(now - searcher->last_look) < kLateLookInterval)
    return false;
  searcher->last_look = now;
  const int used = RegionSlot::NumUsed();
  for (int k = 1; k < used; ++k) {
    const RegionHandle handle =
        RegionSlot::At(k)->FindLate(pool_, now, searcher->ancestor);
    if (handle == 0 || handle == searcher->last_handle) continue;
    if (searcher->ancestor != 0 && !IsWithin(handle, searcher->ancestor)) {
      continue;
    }
    const int callers = searcher->is_worker ? budget_.NumCallers() : 0;
    if (JoinAndHelp({handle}, callers, searcher) == Turnout::kHelped) {
      return true;
    }
  }
  return false;
}

// Reads the watched slot and the task queues for about a microsecond. Does not
// read the join board: the thread that publishes there would have to fetch the
// cache line again. Pauses between two reads: the owner of the slot stores to
// its cache line, and each read moves the line away from the owner.
bool WorkFinder::HelpWatched(Searcher* searcher) {
  RegionSlot::RegionSnapshot snapshot = searcher->watched->Look(pool_);
  for (int look = 1;
       look < kLooksAtSlot && snapshot.handle == 0 && !words_.queue_bits.Any();
       ++look) {
    base::Pause();
    snapshot = searcher->watched->Look(pool_);
  }
  if (snapshot.handle == 0) return false;
  base::PrefetchForWriting(searcher->watched);
  base::PrefetchForReading(searcher->last_closure);
  return JoinAndHelp(snapshot, budget_.NumKnownCallers() + 1, searcher) ==
         Turnout::kHelped;
}

bool WorkFinder::LookForWork(Searcher* searcher) {
  bool helped = searcher->watched != nullptr && HelpWatched(searcher);
  // Other requests are served too, even if loops follow each other quickly in
  // the watched slot.
  if (words_.queue_bits.Any()) {
    helped |= HelpInTurns(searcher);
  } else if (HasRequests(*searcher) && HelpOnce(searcher)) {
    helped = true;
    if (searcher->last_handle != 0) {
      searcher->Watch(RegionSlot::Of(searcher->last_handle));
    }
  }
  return helped;
}

bool WorkFinder::HelpWithTask(Searcher* searcher) {
  const bool is_worker = searcher->is_worker;
  if (is_worker && !budget_.BeginTask()) return false;
  const ClaimedTask claimed = source_.Claim(&searcher->tasks);
  if (claimed) {
    base::Ticks begun = 0;
    parking_.TurnToWork(searcher, 0, [&] {
      if (is_worker) begun = base::Now();
      source_.Run(claimed);
    });
    if (is_worker) PauseAfterShortTask(begun);
  }
  if (is_worker) budget_.EndWork();
  return static_cast<bool>(claimed);
}

bool WorkFinder::HelpInTurns(Searcher* searcher) {
  searcher->tasks.has_deferred = false;
  const bool tasks_first = ++searcher->turn % kFairTurn == 0;
  if (tasks_first && HelpWithTask(searcher)) return true;
  if (HasRequests(*searcher) && HelpOnce(searcher)) return true;
  return !tasks_first && HelpWithTask(searcher);
}

bool WorkFinder::HelpWithin(Searcher* searcher) {
  searcher->tasks.has_deferred = false;
  if (HasRequests(*searcher) && HelpOnce(searcher)) return true;
  if (!words_.queue_bits.Any()) return false;
  const ClaimedTask claimed =
      source_.ClaimWithin(searcher->ancestor, &searcher->tasks);
  if (!claimed) return false;
  const bool was_searching = searcher->is_searching;
  parking_.EndSearch(searcher);
  source_.Run(claimed);
  if (was_searching) parking_.BeginSearch(searcher);
  return true;
}

bool WorkFinder::HelpWithAny(Searcher* searcher) {
  if (!IsStackLow()) return HelpInTurns(searcher);
  return (words_.queue_bits.Any() || HasRequests(*searcher)) &&
         OnFreshStack([&] { return HelpInTurns(searcher); });
}

void WorkFinder::SearchUntilIdle(Worker* worker) {
  Searcher searcher;
  searcher.is_worker = true;
  base::Ticks start = base::Now();
  parking_.SearchForWork(worker, &searcher, [&] {
    const int looks = searcher.watched == nullptr ? kLooksPerClock : 1;
    bool helped = false;
    searcher.tasks.has_deferred = false;
    for (int look = 0; look < looks && !helped && !searcher.tasks.has_deferred;
         ++look) {
      helped = LookForWork(&searcher);
    }
    if (!helped && searcher.tasks.has_deferred) base::PauseFor(kFreshTime);
    helped = helped || HelpLate(&searcher);
    const base::Ticks now = base::Now();
    // A fresh task was left to the thread that has added it (task_queue.h).
    // If that thread does not take it, this one must look again.
    if (helped || searcher.tasks.has_deferred) {
      start = now;
      return true;
    }
    base::Pause();
    const float idle = base::Nanoseconds(now - start);
    if (idle >= kSlotWatchTime) searcher.Watch(nullptr);
    return idle < budget_.WorkerSpinTime();
  });
}

}  // namespace ceres::parallel::detail
