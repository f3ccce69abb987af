// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/condition_wait.h"

#include <algorithm>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/graph/unshared_tasks.h"
#include "ceres/parallel/pool/address_wait.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/pool/pool_tuning.h"

namespace ceres::parallel::detail {

bool ConditionWait::HelpUntil(bool (*holds)(void* context), void* context,
                              TimePoint deadline, const PoolState* tasks_of) {
  const auto has_passed = [deadline] {
    return deadline != TimePoint::max() && SteadyNow() >= deadline;
  };
  if (holds(context)) return true;
  UnsharedTasks::ShareAllOfThread();
  const OuterCaller caller(pool_);
  Searcher searcher;
  searcher.tasks_of = tasks_of;
  Ticks start = Now();
  const std::int64_t begin = BeginTraceSlice();
  bool done = false;
  while (!(done = holds(context)) && !has_passed()) {
    if (pool_.finder().HelpWithAny(&searcher)) {
      start = Now();
    } else if (Nanoseconds(Now() - start) < pool_.SpinTime()) {
      Pause();
    } else {
      Sleep(holds, context, deadline, &searcher);
    }
  }
  EndTraceSlice(TraceKind::kWait, begin, 0);
  return done || holds(context);
}

void ConditionWait::Sleep(bool (*holds)(void* context), void* context,
                          TimePoint deadline, Searcher* searcher) {
  pool_.parking().SleepUnless(
      [&] { return holds(context) || pool_.finder().HelpWithAny(searcher); },
      [&](std::uint32_t event) {
        SleepingOwner self;
        pool_.BeginOwnerSleep(&self);
        pool_.BecomeInactive(&self);
        WaitOnAddress(&words_.condition_events, event,
                      std::min(deadline, SteadyNow() + kLongestConditionSleep));
        pool_.EndOwnerSleep(&self);
      });
}

}  // namespace ceres::parallel::detail
