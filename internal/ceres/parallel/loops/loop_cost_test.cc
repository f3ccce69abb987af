// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/loops/loop_cost.h"

#include <chrono>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/loops/loop_run.h"
#include "ceres/parallel/pool/publication.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/testing/test_threads.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace ceres::parallel::detail {
namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t kIndices = 10;

// A clock whose reading takes more than a plain loop of kIndices may take,
// where a call of a function takes a nanosecond.
class LoopCost : public ::testing::Test {
 protected:
  LoopCost() { known_call_time = 1.0f; }
  ~LoopCost() override { known_call_time = 0.0f; }

  // A loop that takes this time in all.
  template <typename Host>
  void RunLoopOf(Host& host, nanoseconds time) {
    time_ = time / kIndices;
    RunMeasuredLoop(host, site_.measurements(), site_.name, {&Advance, this},
                    kIndices, {});
  }
  bool IsPlainSite() const { return IsTrusted(site_.measurements()); }
  float cost() const { return site_.measurements().cost; }
  void SetCost(float cost) { site_.measurements().cost = cost; }

 private:
  static void Advance(void* self, int, std::int64_t begin, std::int64_t end) {
    auto& test = *static_cast<LoopCost*>(self);
    test.clock_.Advance((end - begin) * test.time_);
  }

  FakeClock clock_{nanoseconds(40)};
  LoopSite site_;
  nanoseconds time_{0};
};

constexpr int kRuns = 1000;

// The worker of a pool is in a task until the end, so that only the caller
// reads the clock.
class BusyPool {
 public:
  BusyPool() {
    pool_.SetRunningLimit(2);
    Detach(pool_, [this] { hold_.Stay(); });
    hold_.AwaitTask();
  }
  ~BusyPool() { hold_.Release(); }
  ThreadPool& pool() { return pool_; }

 private:
  Hold hold_;
  ThreadPool pool_{1};
};

TEST_F(LoopCost, EmptyLoopsBecomePlainHoweverSlowTheClockIs) {
  BusyPool busy;
  SetCost(1.0f);
  for (int run = 0; run < kRuns; ++run) RunLoopOf(busy.pool(), nanoseconds(0));
  EXPECT_TRUE(IsPlainSite());
}

TEST_F(LoopCost, EmptyLoopsThatNoThreadCanJoinBecomePlain) {
  SerialExecutor caller;
  for (int run = 0; run < kRuns; ++run) RunLoopOf(caller, nanoseconds(0));
  EXPECT_TRUE(IsPlainSite());
}

TEST_F(LoopCost, ShortLoopsThatMayCallFunctionsBecomePlain) {
  BusyPool busy;
  SetCost(1.0f);
  for (int run = 0; run < kRuns; ++run) RunLoopOf(busy.pool(), nanoseconds(60));
  EXPECT_TRUE(IsPlainSite());
}

TEST_F(LoopCost, LongLoopsThatMayCallFunctionsDoNotBecomePlain) {
  BusyPool busy;
  SetCost(1.0f);
  for (int run = 0; run < kRuns; ++run) {
    RunLoopOf(busy.pool(), nanoseconds(1200));
  }
  EXPECT_FALSE(IsPlainSite());
}

TEST_F(LoopCost, LoopsThatNoThreadCanJoinBecomePlain) {
  SerialExecutor caller;
  for (int run = 0; run < kRuns; ++run) RunLoopOf(caller, nanoseconds(60));
  EXPECT_TRUE(IsPlainSite());
}

TEST_F(LoopCost, ShortLoopsOfExecutorsBecomePlain) {
  QueueHost host(std::chrono::microseconds(0));
  SetCost(1.0f);
  for (int run = 0; run < kRuns; ++run) RunLoopOf(host, nanoseconds(60));
  EXPECT_TRUE(IsPlainSite());
}

TEST_F(LoopCost, IsMeasuredForEachDepth) {
  ThreadPool pool(0);
  RunLoopOf(pool, nanoseconds(10000));
  const float outer = cost();
  {
    const AtLoopDepth deeper(3);
    RunLoopOf(pool, nanoseconds(100000));
    EXPECT_NEAR(cost(), 10.0f * outer, 0.1f * outer);
  }
  EXPECT_EQ(cost(), outer);
}

TEST_F(LoopCost, IsWhatTheIndicesTake) {
  ThreadPool pool(0);
  RunLoopOf(pool, nanoseconds(10000));
  EXPECT_NEAR(cost(), (10000.0f - kCallsPerBlock) / kIndices, 0.1f);
}

// How many of `runs` runs are timed.
int CountSampled(float period, int runs) {
  int sampled = 0;
  for (int run = 0; run < runs; ++run) sampled += IsSampled(period) ? 1 : 0;
  return sampled;
}

TEST(IsSampled, IsTrueOncePerPeriod) {
  constexpr int kManyRuns = 100000;
  for (const float period : {4.0f, 8.0f, 48.0f}) {
    const int sampled = CountSampled(period, kManyRuns);
    EXPECT_LE(sampled, kManyRuns / period + 1) << period;
    EXPECT_GE(sampled, kManyRuns / (1.5f * period)) << period;
  }
}

TEST(IsSampled, ALongPeriodDoesNotDelayAShortOne) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    while (!IsSampled(1000.0f)) {
    }
    EXPECT_GE(CountSampled(4.0f, 6), 1);
  }
}

}  // namespace
}  // namespace ceres::parallel::detail
