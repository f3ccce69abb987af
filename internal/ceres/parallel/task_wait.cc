// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Waiting for a task set. What the waiting thread runs meanwhile: tasks of the
// set, then loops, forks and tasks that were started within it; nothing else.

#include <algorithm>
#include <stdexcept>

#include "ceres/parallel/address_wait.h"
#include "ceres/parallel/clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/group.h"
#include "ceres/parallel/offer_box.h"
#include "ceres/parallel/pool_state.h"
#include "ceres/parallel/unshared_tasks.h"

namespace ceres::parallel::detail {
namespace {

using Clock = TaskSet::Clock;

bool HasPassed(Clock::time_point deadline) {
  return deadline != Clock::time_point::max() && SteadyNow() >= deadline;
}

}  // namespace

void TaskSet::CheckNotInside() const {
  for (const Participation* p = current_participation; p != nullptr;
       p = p->outer) {
    // Loops and forks end before the task in which they were started; their
    // pieces may run in other threads.
    GroupHandle group = p->group;
    while (group != 0 && !IsTaskSetHandle(group)) {
      group = GroupSlot::ParentOf(group);
    }
    if (group == handle()) {
      throw std::logic_error(
          "a task waits for its own end: Wait or get called inside a task of "
          "the group or future that is waited for");
    }
  }
}

bool TaskSet::Wait(Clock::time_point deadline) {
  const std::int64_t begin = BeginTraceSlice();
  const bool ended = WaitUntilQuiet(deadline);
  EndTraceSlice(TraceKind::kWait, begin, handle());
  return ended;
}

bool TaskSet::WaitUntilQuiet(Clock::time_point deadline) {
  // What this thread runs here may take long.
  UnsharedTasks::ShareAllOfThread();
  bool waits = false;
  while (!IsQuiet()) {
    if (RunOwnTasks(deadline)) {
      if (HasPassed(deadline)) return IsQuiet();
      continue;
    }
    if (!waits) CheckNotInside();
    waits = true;
    if (!WaitForOthers(deadline)) return false;
  }
  TakeBackSleeperBit();
  return true;
}

void TaskSet::TakeBackSleeperBit() {
  std::uint32_t expected = kSleeper;
  if (pending_.load(std::memory_order_relaxed) == expected) {
    pending_.compare_exchange_strong(expected, 0, std::memory_order_relaxed);
  }
}

// Until the set is quiet (true), has tasks that nobody has begun (true), or the
// deadline has passed (false).
bool TaskSet::WaitForOthers(Clock::time_point deadline) {
  UnsharedTasks::ShareAllOfThread();
  PoolState* const pool = this->pool();
  if (pool == nullptr) return WaitWithoutPool(deadline);
  const OuterCaller caller(*pool);
  while (!IsQuiet()) {
    if (HasPassed(deadline)) return IsQuiet();
    if (SpinUntilQuiet(deadline)) return true;
    if (HasPassed(deadline)) return IsQuiet();
    SleepUntilQuiet(deadline);
  }
  return true;
}

bool TaskSet::SpinUntilQuiet(Clock::time_point deadline) {
  // Only after this time does the thread look for other work: most waits are
  // shorter, and looking takes locks that others want.
  constexpr float kPatience = 2e3f;
  constexpr int kLooksPerClock = 16;
  PoolState& pool = *this->pool();
  const float spin_time = pool.SpinTime();
  Seeker seeker;
  seeker.ancestor = handle();
  Ticks start = Now();
  bool done = false;
  while (!done) {
    for (int look = 0; look < kLooksPerClock && !done; ++look) {
      done = IsQuiet() || HasTasksForMe();
      if (!done) Pause();
    }
    if (done) break;
    const float waited = Nanoseconds(Now() - start);
    if (waited >= std::min(kPatience, spin_time) && pool.HelpWithin(&seeker)) {
      start = Now();
      done = HasPassed(deadline);
    } else if (waited >= spin_time || HasPassed(deadline)) {
      break;
    } else if (waited > kPatience) {
      pool.BeHungry(&seeker);
    }
  }
  pool.StopBeingHungry(&seeker);
  return IsQuiet() || HasTasksForMe();
}

void TaskSet::SleepUntilQuiet(Clock::time_point deadline) {
  PoolState& pool = *this->pool();
  // From here on, groups within this one that look for help find this thread.
  pool.BeginOwnerSleep(handle());
  Seeker seeker;
  seeker.ancestor = handle();
  const std::uint32_t pending =
      pending_.fetch_or(kSleeper, std::memory_order_acq_rel) | kSleeper;
  if ((pending & kCount) != 0 && !HasTasksForMeLocked() &&
      !pool.HelpWithin(&seeker)) {
    pool.StandDown(handle());
    WaitOnAddress(&pending_, pending, deadline);
  }
  pool.EndOwnerSleep(handle());
}

// Whether the calling thread, which waits, could run a task of the set: a hint,
// and the truth at a moment.
bool TaskSet::HasTasksForMe() const {
  if (is_single()) return false;
  const Group& g = group();
  return (g.queued.load(std::memory_order_relaxed) > 0 ||
          g.batches.load(std::memory_order_relaxed) != nullptr) &&
         (g.max_threads == 0 ||
          g.active.load(std::memory_order_relaxed) < g.max_threads);
}

bool TaskSet::HasTasksForMeLocked() {
  if (is_single()) return false;
  const SpinLock::Guard guard(lock());
  const bool has_any = HasAnyLocked();
  TakeDownIfDoneLocked();
  return has_any && HasTasksForMe();
}

bool TaskSet::WaitWithoutPool(Clock::time_point deadline) {
  UnsharedTasks::ShareAllOfThread();
  // Most waits for a thread that runs are short.
  Ticks start = Now();
  while (!IsQuiet() && Nanoseconds(Now() - start) < kSpinTime) {
    if (HasTasksForMe()) return true;
    Pause();
  }
  while (!IsQuiet() && !HasPassed(deadline)) {
    const std::uint32_t pending =
        pending_.fetch_or(kSleeper, std::memory_order_acq_rel) | kSleeper;
    if ((pending & kCount) == 0) break;
    if (HasTasksForMeLocked()) return true;
    WaitOnAddress(&pending_, pending, deadline);
  }
  return IsQuiet();
}

}  // namespace ceres::parallel::detail
