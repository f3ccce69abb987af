// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Waiting for a task set, and what the waiting thread runs meanwhile.
//
// The rule. A thread that waits runs a piece of work only if it waits for that
// piece: directly, or because the work that it waits for waits for the piece.
// Detached tasks, and futures that no thread awaits yet, are not such work,
// whichever thread started them. So a thread may hold a lock across a wait
// unless the work that it waits for takes the lock. All frames on the stack
// above the wait are work that the wait needs, so a circle of threads that
// block each other is a circle of waits in the program itself.
//
// How it is kept. A region is a loop, a published fork or a task set. The
// parent of a region is a region that cannot end before it does:
//  - A loop or fork has a parent from its beginning to its end: the region for
//    which its owner works, because the owner waits for the end.
//  - A task set has a parent while a thread waits for it without a deadline. It
//    is the region for which that thread works. A wait with a deadline makes no
//    parent, because it may end before the set does, unless the waiting thread
//    runs the single task of the set itself. If several threads wait, the first
//    one makes the parent.
// A region is within another region if parents lead from the first to the
// second (IsWithin). A thread that waits for a region joins loops and forks,
// and claims tasks of sets, within that region.
//
// Why it is correct. Suppose that a thread waits for A, finds that C is within
// A, and then claims a piece of C. From the first look until that piece ends, C
// is not quiet (a loop: is open): a set is looked at under the lock under which
// its tasks are claimed, and a loop that ended in between cannot be joined.
//  - So C keeps its parent B, if it has one, and B does not end either, because
//    one of its pieces waits for C; and so on, up to A. Links that are read are
//    links that hold, although they are read one after the other.
//  - The sets of task groups and graphs have an exception: a thread that has
//    waited for C, and found it quiet, removes the parent afterwards, and
//    meanwhile another thread may have pushed a task. So the thread looks
//    again, and if C is not quiet any more, the wait goes on. Either that look
//    comes after the push, or the parent was removed before the task could be
//    claimed:
//
// clang-format off
//      thread that pushes       thread that claims    thread that waited
//      count the task           lock                  remove the parent
//      lock, add it to the list read the parent       read the count
// clang-format on
//
//    All four accesses to the two words are sequentially consistent.
//  - A future has one task, and stays quiet after it. Its parent may stay, too,
//    until the memory is used again. Only the thread that waits for the future
//    changes it.
// A thread that runs a task of a set continues with other tasks of the same set
// before it discounts the first one; until then, the set is not quiet.

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/pool/fresh_stack.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/regions/region.h"
#include "ceres/parallel/sync/address_wait.h"
#include "ceres/parallel/sync/before_blocking.h"
#include "ceres/parallel/tasks/task_queue.h"

namespace ceres::parallel::detail {
namespace {

using Clock = TaskSet::Clock;

bool HasPassed(Clock::time_point deadline) {
  return deadline != Clock::time_point::max() && SteadyNow() >= deadline;
}

}  // namespace

void WordAtomics::Wait(std::atomic<std::uint32_t>* word, std::uint32_t expected,
                       std::chrono::steady_clock::time_point deadline) {
  WaitOnAddress(word, expected, deadline);
}
void WordAtomics::Wake(std::atomic<std::uint32_t>* word) { WakeAddress(word); }

// Threads that sleep until a region around this one ends may help from now on.
// Only speed depends on it: the thread that waits for the set needs no help.
void TaskSet::TellAncestors() {
  PoolState* const pool = this->pool();
  if (pool == nullptr || parent_.Get() == 0) return;
  pool->CallSleepingAncestor(handle());
}

void TaskSet::CheckNotInside() const {
  for (const Participation* p = current_participation; p != nullptr;
       p = p->outer) {
    // No frame of this thread ends before those above it. Loops and forks end
    // before the task in which they were started; their pieces may run in other
    // threads.
    RegionHandle region = p->region;
    while (region != 0 && !IsTaskSetHandle(region)) {
      region = RegionSlot::ParentOf(region);
    }
    if (region == handle() ||
        (is_single() && chain_ != nullptr && region == chain_->handle())) {
      throw std::logic_error(
          "a task waits for its own end: Wait or get called inside a task of "
          "the group or future that is waited for");
    }
  }
}

void TaskSet::EndsWith(const void* object) {
  const Participation* const current = current_participation;
  if (current != nullptr && current->region != 0 &&
      IsInFrameBetween(CERES_PARALLEL_FRAME_ADDRESS(), object, current)) {
    parent_.Set(current->region);
  }
}

bool TaskSet::Wait(Clock::time_point deadline) {
  const std::int64_t begin = BeginTraceSlice();
  const bool ended = WaitUntilQuiet(deadline);
  EndTraceSlice(TraceKind::kWait, begin, handle());
  return ended;
}

// The set is not quiet.
inline bool TaskSet::WaitAsChild(Clock::time_point deadline) {
  bool waits = false;
  do {
    if (RunOwnTasks(deadline)) {
      if (HasPassed(deadline)) return IsQuiet();
      continue;
    }
    if (!waits) CheckNotInside();
    waits = true;
    if (!WaitForOthers(deadline)) return false;
  } while (!IsQuiet());
  return true;
}

bool TaskSet::WaitOnFreshStack(Clock::time_point deadline) {
  return OnFreshStack(
      [&] { return is_single() ? AwaitEnd(deadline) : WaitAsChild(deadline); });
}

bool TaskSet::WaitUntilQuiet(Clock::time_point deadline) {
  // The work that this thread runs here may take long.
  BeforeBlocking::RunAll();
  if (IsQuiet()) return true;
  const bool has_deadline = deadline != Clock::time_point::max();
  const std::uint64_t parent = has_deadline ? 0 : RegionOfThisThread();
  if (!parent_.WaitUnder(parent, pending_, [&] {
        if (parent != 0 && NumQueued() > 1) TellAncestors();
        return IsStackLow() ? WaitOnFreshStack(deadline)
                            : WaitAsChild(deadline);
      })) {
    return false;
  }
  pending_.TakeBackSleeperBit();
  return true;
}

// Returns when the set is quiet (true), has unclaimed tasks (true), or the
// deadline has passed (false).
bool TaskSet::WaitForOthers(Clock::time_point deadline) {
  BeforeBlocking::RunAll();
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
  PoolState& pool = *this->pool();
  const float spin_time = pool.SpinTime();
  Searcher searcher;
  searcher.ancestor = handle();
  base::Ticks start = base::Now();
  bool has_told = false;
  bool done = false;
  while (!done) {
    for (int look = 0; look < kSetLooksPerClock && !done; ++look) {
      done = IsQuiet() || HasSettledTasksForMe();
      if (!done) base::Pause();
    }
    if (done) break;
    const float waited = base::Nanoseconds(base::Now() - start);
    const bool looks_around = waited >= std::min(kTimeBeforeSearch, spin_time);
    if (looks_around && !std::exchange(has_told, true)) TellAncestors();
    if (looks_around && pool.HelpWithin(&searcher)) {
      start = base::Now();
      done = HasPassed(deadline);
    } else if (waited >= spin_time || HasPassed(deadline)) {
      break;
    } else if (waited > kTimeBeforeSearch) {
      pool.BeginSearch(&searcher);
      if (searcher.tasks.has_deferred) base::PauseFor(kFreshTime);
    }
  }
  pool.EndSearch(&searcher);
  return IsQuiet() || HasTasksForMe();
}

void TaskSet::SleepUntilQuiet(Clock::time_point deadline) {
  PoolState& pool = *this->pool();
  // From here on, regions within this one find this thread (SleepingOwners).
  PoolState::SleepingOwner self;
  self.handle = handle();
  pool.BeginOwnerSleep(&self);
  Searcher searcher;
  searcher.ancestor = handle();
  searcher.tasks.is_last_look = true;
  pending_.Sleep(deadline, [&] {
    if (HasTasksForMeLocked() || pool.HelpWithin(&searcher)) return true;
    pool.BecomeInactive(&self);
    return false;
  });
  pool.EndOwnerSleep(&self);
}

// Whether the calling thread, which waits, could run a task of the set at this
// moment: a hint.
bool TaskSet::HasTasksForMe() const {
  if (is_single()) return false;
  const Group& g = group();
  return (g.queued.load(std::memory_order_relaxed) > 0 ||
          g.batches.load(std::memory_order_relaxed) != nullptr) &&
         (g.max_threads == 0 ||
          g.active.load(std::memory_order_relaxed) < g.max_threads);
}

// As HasTasksForMe, but for tasks that the thread that has added them is about
// to take (task_queue.h).
bool TaskSet::HasSettledTasksForMe() const {
  if (!HasTasksForMe()) return false;
  if (queue_->IsSettled(is_high_)) return true;
  base::PauseFor(kFreshTime);
  return false;
}

bool TaskSet::HasTasksForMeLocked() {
  if (is_single()) return false;
  const SpinLock::Guard guard(lock());
  const bool has_any = HasAnyLocked();
  DequeueIfDoneLocked();
  return has_any && HasTasksForMe();
}

bool TaskSet::WaitWithoutPool(Clock::time_point deadline) {
  BeforeBlocking::RunAll();
  // Most waits for a thread that runs are short.
  base::Ticks start = base::Now();
  while (!IsQuiet() && base::Nanoseconds(base::Now() - start) < kSpinTime) {
    if (HasTasksForMe()) return true;
    base::Pause();
  }
  while (!IsQuiet() && !HasPassed(deadline)) {
    bool finds_work = false;
    pending_.Sleep(deadline,
                   [&] { return finds_work = HasTasksForMeLocked(); });
    if (finds_work) return true;
  }
  return IsQuiet();
}

}  // namespace ceres::parallel::detail
