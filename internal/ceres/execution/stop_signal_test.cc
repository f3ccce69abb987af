// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/stop_signal.h"

#include <chrono>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Clock = StopSignal::Clock;
using Reason = StopSignal::Reason;
using parallel::CancellationSource;

bool Stops(const StopSignal& signal) {
  try {
    signal.Check();
  } catch (const Stopped&) {
    return true;
  }
  return false;
}

TEST(StopSignal, SaysNothingWithoutTokenAndDeadline) {
  StopSignal signal;
  EXPECT_FALSE(Stops(signal));
  signal.Set({}, Clock::time_point::max());
  signal.LetDeadlineCount();
  EXPECT_FALSE(signal.is_enabled());
  EXPECT_FALSE(Stops(signal));
}

TEST(StopSignal, TheDeadlineWaitsUntilItCounts) {
  StopSignal signal;
  signal.Set({}, Clock::now());
  EXPECT_FALSE(Stops(signal));
  signal.LetDeadlineCount();
  EXPECT_TRUE(Stops(signal));
  EXPECT_EQ(signal.reason(), Reason::kSolverTime);
}

TEST(StopSignal, TheTokenCountsAtOnce) {
  CancellationSource source;
  StopSignal signal;
  signal.Set(source.token(), Clock::time_point::max());
  EXPECT_FALSE(Stops(signal));
  source.Cancel();
  EXPECT_TRUE(Stops(signal));
  EXPECT_EQ(signal.reason(), Reason::kCancelled);

  const CancellationSource passed(Clock::now());
  signal.Set(passed.token(), Clock::time_point::max());
  EXPECT_TRUE(Stops(signal));
  EXPECT_EQ(signal.reason(), Reason::kTokenDeadline);
}

TEST(StopSignal, KeepsTheFirstReasonUntilItIsSetAgain) {
  CancellationSource source;
  StopSignal signal;
  signal.Set(source.token(), Clock::now());
  signal.LetDeadlineCount();
  EXPECT_TRUE(Stops(signal));
  source.Cancel();
  EXPECT_TRUE(Stops(signal));
  EXPECT_EQ(signal.reason(), Reason::kSolverTime);
  signal.Set({}, Clock::time_point::max());
  EXPECT_FALSE(Stops(signal));
  EXPECT_EQ(signal.reason(), Reason::kNone);
}

// Steps until the poller sees a signal that was set after `before` steps.
int StepsToNotice(int before) {
  CancellationSource source;
  StopSignal signal;
  signal.Set(source.token(), Clock::time_point::max());
  StopPoller poller(&signal);
  for (int i = 0; i < before; ++i) poller.Poll();
  source.Cancel();
  for (int steps = 1; steps <= 1000; ++steps) {
    try {
      poller.Poll();
    } catch (const Stopped&) {
      return steps;
    }
  }
  return 1001;
}

TEST(StopPoller, LooksAtTheFirstStepAndThenOftenEnough) {
  EXPECT_EQ(StepsToNotice(0), 1);
  for (const int before : {1, 7, 500, 10000}) {
    EXPECT_LE(StepsToNotice(before), 64) << before;
  }
}

TEST(StopPoller, TakesNoSignalForOneThatNeverStops) {
  StopPoller none(nullptr);
  const StopSignal disabled;
  StopPoller never(&disabled);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_NO_THROW(none.Poll());
    ASSERT_NO_THROW(never.Poll());
  }
}

}  // namespace
}  // namespace ceres::internal
