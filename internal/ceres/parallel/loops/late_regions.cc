// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// How regions that take longer than predicted find help.
//
// A region can be joined before its owner begins the first block, but nobody is
// called for what is predicted to be short. So idle threads look through the
// slots of all regions, now and then: a region that was open at two looks,
// kLate apart, is late, and they join it. An awake worker, or an owner who
// waits, looks every kLateLookInterval. While all workers sleep one of them
// keeps watch.
//
// The worker that keeps watch is the first in `parked`, which is the last one
// that is woken for other work. It sleeps with a timeout, and looks every
// kWatchInterval. It gives up, and sleeps without a timeout, when in kCalmLooks
// intervals there was no quiet region: an idle pool uses no cpu.
//
// Why somebody looks, if a worker is parked or can be started
//  - A parked worker that keeps watch (Worker::keeps_watch) is the first in
//    `parked`: a worker that parks as the first keeps watch, and owners ask the
//    first one. Who takes it off `parked` passes the watch on to the next one
//    in the same hold of the mutex. If there is none, watch_ becomes kOff.
//  - watch_ is kOn while a parked worker keeps watch, up to the last interval
//    of that worker. An owner or a helper of a region who finds it not kOn asks
//    the first parked worker. If none is parked, it starts a worker, unless
//    another one is awake and not at work: that one looks before it parks, and
//    keeps watch then. When such a worker joins a region, it asks again itself
//    (PassInvitationOn). If no worker may be started now, owners try again.
//  - A worker that joins a late region calls the next thread at once, a parked
//    worker or an owner who sleeps (PassInvitationOn). An owner who sleeps does
//    not look by itself: if all workers join a region before it is late, an
//    owner of a region around it is not called.
//  - If all workers have been started and none is parked, watch_ is kOn, so
//    that owners do not ask in vain: the first one to park keeps watch.
//    Resizing the pool makes it kOff.
//  - The worker that gives up makes watch_ kOff, and looks once more after an
//    interval. An owner who has read watch_ before that has set
//    has_quiet_regions_ before, which is seen then.
//
// Why no token is lost: tokens are given under the mutex. kKeepWatch is given
// to a worker in `parked`, which has no other token, since it was taken off
// there before it got one. Who takes a worker off clears its kKeepWatch, so
// that it does not keep watch, although it is not the first, when it parks
// again. keeps_watch and watch_ change under the mutex, so that a worker that
// has been taken off, but does not know it yet, changes neither.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/pool/address_wait.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/task_set_handle.h"

namespace ceres::parallel::detail {
bool PoolState::HelpLate(Searcher* searcher) {
  const Ticks now = Now();
  if (Nanoseconds(now - searcher->last_look) < kLateLookInterval) return false;
  searcher->last_look = now;
  const int used = RegionSlot::NumUsed();
  for (int k = 1; k < used; ++k) {
    const RegionHandle handle = RegionSlot::At(k)->FindLate(this, now);
    if (handle == 0 || handle == searcher->last_handle) continue;
    if (searcher->ancestor != 0 && !IsWithin(handle, searcher->ancestor))
      continue;
    const int callers = searcher->is_worker ? NumCallers() : 0;
    if (JoinAndHelp({handle}, callers, searcher) == Turnout::kHelped)
      return true;
  }
  return false;
}

RegionHandle PoolState::FindLateRegion() const {
  const Ticks now = Now();
  const int used = RegionSlot::NumUsed();
  for (int k = 1; k < used; ++k) {
    const RegionHandle handle = RegionSlot::At(k)->FindLate(this, now);
    if (handle != 0) return handle;
  }
  return 0;
}

void PoolState::StartWatch() {
  if (NumWorkers() == 0) return;
  const bool none_parked =
      watch_.load(std::memory_order_relaxed) == Watch::kNoneParked;
  if (none_parked && (!NoWorkerSearches() || NumAwake() >= MaxAwake())) return;
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  if (watch_.load(std::memory_order_relaxed) != Watch::kOn) StartWatchLocked();
}

void PoolState::StartWatchLocked() {
  const auto& parked = threads_->parked;
  if (!parked.empty()) {
    KeepWatchLocked(parked.front());
    GiveToken(parked.front(), kKeepWatch);
    return;
  }
  Watch watch = Watch::kNoneParked;
  if (static_cast<int>(threads_->workers.size()) >= NumWorkers()) {
    watch = Watch::kOn;
  } else if (NoWorkerSearches() && NumAwake() < MaxAwake() && !StartWorker()) {
    // The system has no thread for it; further attempts would cost time.
    watch = Watch::kOn;
  }
  watch_.store(watch, std::memory_order_relaxed);
}

void PoolState::KeepWatchLocked(Worker* worker) {
  worker->keeps_watch.store(true, std::memory_order_relaxed);
  watch_.store(Watch::kOn, std::memory_order_relaxed);
}

// The caller gives the worker a token, or is the worker.
void PoolState::TakeOffParkedLocked(std::vector<Worker*>::iterator position) {
  Worker* const worker = *position;
  auto& parked = threads_->parked;
  parked.erase(position);
  worker->token.store(0, std::memory_order_relaxed);
  if (!worker->keeps_watch.load(std::memory_order_relaxed)) return;
  worker->keeps_watch.store(false, std::memory_order_relaxed);
  if (parked.empty()) {
    watch_.store(Watch::kOff, std::memory_order_relaxed);
  } else {
    KeepWatchLocked(parked.front());
    GiveToken(parked.front(), kKeepWatch);
  }
}

// Returns kWork when it was woken or has found something, or kRetire.
std::uint32_t PoolState::SleepUntilToken(Worker* worker) {
  int calm_looks = 0;
  while (true) {
    std::uint32_t token = worker->token.exchange(0, std::memory_order_acquire);
    if (token == 0 && worker->keeps_watch.load(std::memory_order_relaxed)) {
      WaitOnAddress(&worker->token, 0, SteadyNow() + kWatchInterval);
      token = worker->token.exchange(0, std::memory_order_acquire);
    } else if (token == 0) {
      token = AwaitToken(worker);
    }
    if (token == kWork || token == kRetire) return token;
    if (token == kKeepWatch) {
      calm_looks = 0;
    } else if (LeaveParkedForLateRegion(worker)) {
      return kWork;
    } else {
      EndWatchIfCalm(worker, &calm_looks);
    }
  }
}

bool PoolState::LeaveParkedForLateRegion(Worker* worker) {
  const RegionHandle late = FindLateRegion();
  if (late == 0) return false;
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    auto& parked = threads_->parked;
    const auto position = std::find(parked.begin(), parked.end(), worker);
    // Else it has got a token.
    if (position == parked.end()) return false;
    if (NumAwake() < MaxAwake()) {
      TakeOffParkedLocked(position);
      CountAsAwake();
      TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
      return true;
    }
  }
  WakeSleepingOwner(late);
  return false;
}

void PoolState::EndWatchIfCalm(Worker* worker, int* calm_looks) {
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  // It has been taken off `parked`, and has got a token.
  if (!worker->keeps_watch.load(std::memory_order_relaxed)) return;
  if (has_quiet_regions_.exchange(false, std::memory_order_relaxed)) {
    *calm_looks = 0;
    watch_.store(Watch::kOn, std::memory_order_relaxed);
  } else if (++*calm_looks == kCalmLooks) {
    watch_.store(Watch::kOff, std::memory_order_relaxed);
  } else if (*calm_looks > kCalmLooks) {
    worker->keeps_watch.store(false, std::memory_order_relaxed);
  }
}

}  // namespace ceres::parallel::detail
