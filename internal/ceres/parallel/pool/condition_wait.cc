// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/condition_wait.h"

#include <algorithm>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/sync/address_wait.h"
#include "ceres/parallel/sync/before_blocking.h"

namespace ceres::parallel::detail {

bool ConditionWait::HelpUntil(bool (*holds)(void* context), void* context,
                              TimePoint deadline, const PoolState* tasks_of) {
  const auto has_passed = [deadline] {
    return deadline != TimePoint::max() && SteadyNow() >= deadline;
  };
  if (holds(context)) return true;
  BeforeBlocking::RunAll();
  const OuterCaller caller(pool_);
  Searcher searcher;
  searcher.tasks_of = tasks_of;
  base::Ticks start = base::Now();
  // The events that WaitForAll waits for are announced. An announcement can be
  // missed only within some nanoseconds.
  const bool is_announced = tasks_of != nullptr;
  std::chrono::nanoseconds longest_sleep = kLongestConditionSleep;
  const std::int64_t begin = BeginTraceSlice();
  bool done = false;
  while (!(done = holds(context)) && !has_passed()) {
    if (pool_.finder().HelpWithAny(&searcher) ||
        pool_.source().RunAroundThisThread()) {
      start = base::Now();
      longest_sleep = kLongestConditionSleep;
    } else if (base::Nanoseconds(base::Now() - start) < pool_.SpinTime()) {
      if (searcher.tasks.has_deferred) {
        base::PauseFor(kFreshTime);
      } else {
        base::Pause();
      }
    } else {
      const bool has_news =
          Sleep(holds, context, std::min(deadline, SteadyNow() + longest_sleep),
                &searcher);
      if (has_news) {
        longest_sleep = kLongestConditionSleep;
      } else if (is_announced) {
        longest_sleep *= 2;
      }
    }
  }
  EndTraceSlice(TraceKind::kWait, begin, 0);
  return done || holds(context);
}

// Returns whether tasks were enqueued, or ended.
bool ConditionWait::Sleep(bool (*holds)(void* context), void* context,
                          TimePoint deadline, Searcher* searcher) {
  bool has_news = true;
  searcher->tasks.is_last_look = true;
  pool_.parking().SleepUnless(
      [&] { return holds(context) || pool_.finder().HelpWithAny(searcher); },
      [&](std::uint32_t event) {
        SleepingOwner self;
        pool_.BeginOwnerSleep(&self);
        pool_.BecomeInactive(&self);
        WaitOnAddress(&words_.condition_events, event, deadline);
        pool_.EndOwnerSleep(&self);
        has_news =
            words_.condition_events.load(std::memory_order_relaxed) != event;
      });
  searcher->tasks.is_last_look = false;
  return has_news;
}

}  // namespace ceres::parallel::detail
