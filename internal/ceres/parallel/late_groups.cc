// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// How groups that take longer than predicted find help.
//
// A group can be joined before its owner begins the first block, but nobody is
// called for what is predicted to be short. So idle threads look through the
// slots of all groups, now and then: a group that was open at two looks, kLate
// apart, is late, and they join it. An awake worker, or an owner who waits,
// looks every kLookInterval. While all workers sleep one of them keeps watch.
//
// The worker that keeps watch is the first in `parked`, which is the last one
// that is woken for other work. It sleeps with a timeout, and looks every
// kWatchInterval. It gives up, and sleeps without a timeout, when in kCalmLooks
// intervals there was no quiet group: an idle pool uses no cpu.
//
// Why somebody looks, if there is a parked worker
//  - A worker that parks as the first keeps watch. Who takes the first one off
//    `parked` gives the next one a token to keep watch. If there is none, that
//    worker is at work, and the next owner starts another one, if there is one
//    that was never started; it keeps watch when it parks.
//  - is_watched_ is cleared when no parked worker keeps watch. An owner who
//    finds it false gives the first parked worker a token.
//  - The worker that gives up clears is_watched_, and looks once more an
//    interval later. An owner who has read is_watched_ before it was cleared
//    has set has_quiet_groups_ before that, which is seen then.
// A token is given under the mutex to a worker in `parked`, who is taken off
// there before he gets one of another kind: none but kKeepWatch is overwritten.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <vector>

#include "ceres/parallel/address_wait.h"
#include "ceres/parallel/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool_state.h"
#include "ceres/parallel/task_set_handle.h"

namespace ceres::parallel::detail {
namespace {

// Nanoseconds. Each look takes slots' lines away from their owners.
constexpr float kLookInterval = 25e3f;
constexpr auto kWatchInterval = std::chrono::milliseconds(1);
constexpr int kCalmLooks = 20;

}  // namespace

bool PoolState::HelpLate(Seeker* seeker) {
  const Ticks now = Now();
  if (Nanoseconds(now - seeker->last_look) < kLookInterval) return false;
  seeker->last_look = now;
  const int used = GroupSlot::NumUsed();
  for (int k = 1; k < used; ++k) {
    const GroupHandle handle = GroupSlot::At(k)->FindLate(this, now);
    if (handle == 0 || handle == seeker->last_handle) continue;
    if (seeker->ancestor != 0 && !IsWithin(handle, seeker->ancestor)) continue;
    const int callers = seeker->is_worker ? NumCallers() : 0;
    if (JoinAndHelp({handle}, callers, seeker) == Turnout::kHelped) return true;
  }
  return false;
}

GroupHandle PoolState::FindLateGroup() const {
  const Ticks now = Now();
  const int used = GroupSlot::NumUsed();
  for (int k = 1; k < used; ++k) {
    const GroupHandle handle = GroupSlot::At(k)->FindLate(this, now);
    if (handle != 0) return handle;
  }
  return 0;
}

void PoolState::StartWatch() {
  if (NumWorkers() == 0 ||
      is_watched_.exchange(true, std::memory_order_relaxed)) {
    return;
  }
  const std::lock_guard<std::mutex> lock(threads_->mutex);
  if (!threads_->parked.empty()) {
    GiveToken(threads_->parked.front(), kKeepWatch);
  } else if (NumAwake() < MaxAwake()) {
    // It parks when it has found nothing to do.
    StartWorker();
  }
}

void PoolState::TakeOffParkedLocked(std::vector<Worker*>::iterator position) {
  auto& parked = threads_->parked;
  const bool was_first = position == parked.begin();
  parked.erase(position);
  if (!was_first || !is_watched_.load(std::memory_order_relaxed)) return;
  if (parked.empty()) {
    is_watched_.store(false, std::memory_order_relaxed);
  } else {
    GiveToken(parked.front(), kKeepWatch);
  }
}

// Returns kWork when it was woken or has found something, or kRetire.
std::uint32_t PoolState::SleepUntilToken(Worker* worker) {
  bool keeps_watch = worker->keeps_watch;
  int calm_looks = 0;
  while (true) {
    std::uint32_t token = worker->token.exchange(0, std::memory_order_acquire);
    if (token == 0 && keeps_watch) {
      WaitOnAddress(&worker->token, 0, SteadyNow() + kWatchInterval);
      token = worker->token.exchange(0, std::memory_order_acquire);
    } else if (token == 0) {
      token = AwaitToken(worker);
    }
    if (token == kWork || token == kRetire) return token;
    if (token == kKeepWatch) {
      keeps_watch = true;
      calm_looks = 0;
    } else if (LeaveParkedForLateGroup(worker)) {
      return kWork;
    } else {
      keeps_watch = KeepsWatchAfterLook(&calm_looks);
    }
  }
}

bool PoolState::LeaveParkedForLateGroup(Worker* worker) {
  const GroupHandle late = FindLateGroup();
  if (late == 0) return false;
  {
    const std::lock_guard<std::mutex> lock(threads_->mutex);
    auto& parked = threads_->parked;
    const auto position = std::find(parked.begin(), parked.end(), worker);
    // Else it is about to get a token.
    if (position == parked.end()) return false;
    if (NumAwake() < MaxAwake()) {
      TakeOffParkedLocked(position);
      CountAsAwake();
      TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
      // It may have been told to keep watch.
      worker->token.store(0, std::memory_order_relaxed);
      return true;
    }
  }
  RouseSleepingOwner(late);
  return false;
}

bool PoolState::KeepsWatchAfterLook(int* calm_looks) {
  if (has_quiet_groups_.exchange(false, std::memory_order_relaxed)) {
    *calm_looks = 0;
    is_watched_.store(true, std::memory_order_relaxed);
  } else if (++*calm_looks == kCalmLooks) {
    is_watched_.store(false, std::memory_order_relaxed);
  }
  return *calm_looks <= kCalmLooks;
}

}  // namespace ceres::parallel::detail
