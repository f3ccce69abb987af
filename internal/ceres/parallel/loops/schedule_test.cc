// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The schedules of ParallelFor other than the adaptive one.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Range = BasicIndexRange<int>;

class ScheduleTest : public ForEachPool {
 protected:
  // The ranges that the body was called with, sorted.
  std::vector<std::pair<int, int>> Blocks(int n, const LoopOptions& options) {
    std::mutex mutex;
    std::vector<std::pair<int, int>> blocks;
    ParallelFor(
        pool(), 0, n,
        [&](Range range) {
          const std::lock_guard<std::mutex> lock(mutex);
          blocks.emplace_back(range.begin, range.end);
        },
        options);
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  }
};
INSTANTIATE_TEST_SUITE_P(Pools, ScheduleTest, ::testing::ValuesIn(AllPools()),
                         PoolName);

TEST_P(ScheduleTest, StaticBlocksDependOnLengthAndMaxThreadsAlone) {
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(Blocks(10, {3, 1, Schedule::kStatic}),
              (std::vector<std::pair<int, int>>{{0, 4}, {4, 7}, {7, 10}}));
    EXPECT_EQ(Blocks(10, {1, 1, Schedule::kStatic}),
              (std::vector<std::pair<int, int>>{{0, 10}}));
    // Not more blocks than grains.
    EXPECT_EQ(Blocks(10, {8, 5, Schedule::kStatic}),
              (std::vector<std::pair<int, int>>{{0, 5}, {5, 10}}));
    EXPECT_EQ(Blocks(2, {8, 5, Schedule::kStatic}),
              (std::vector<std::pair<int, int>>{{0, 2}}));
  }
}

TEST_P(ScheduleTest, StaticWithoutALimitMakesABlockForEachThreadOfTheHost) {
  const auto blocks = Blocks(100000, {0, 1, Schedule::kStatic});
  EXPECT_EQ(static_cast<int>(blocks.size()), num_workers() + 1);
  int next = 0;
  for (const auto& [begin, end] : blocks) {
    EXPECT_EQ(begin, next);
    EXPECT_NEAR(end - begin, 100000 / (num_workers() + 1), 1);
    next = end;
  }
  EXPECT_EQ(next, 100000);
}

TEST_P(ScheduleTest, DynamicBlocksHaveExactlyAGrain) {
  for (const int n : {1, 9, 10, 11, 1000, 1001}) {
    const auto blocks = Blocks(n, {0, 10, Schedule::kDynamic});
    int next = 0;
    for (const auto& [begin, end] : blocks) {
      EXPECT_EQ(begin, next);
      EXPECT_EQ(end, std::min(n, begin + 10));
      next = end;
    }
    EXPECT_EQ(next, n);
  }
}

TEST_P(ScheduleTest, ParticipantIdsAreBelowMaxThreadsAndHeldByOneThread) {
  for (const Schedule schedule : {Schedule::kStatic, Schedule::kDynamic}) {
    for (const int max_threads : {1, 2, 3, 8}) {
      std::vector<std::atomic<int>> holders(max_threads);
      std::atomic<bool> ok{true};
      ParallelFor(pool(), 0, 300,
                  [&](Participant participant, int) {
                    if (participant < 0 || participant >= max_threads ||
                        holders[participant].fetch_add(1) != 0) {
                      ok = false;
                      return;
                    }
                    std::this_thread::yield();
                    holders[participant].fetch_sub(1);
                  },
                  {max_threads, 1, schedule});
      EXPECT_TRUE(ok);
    }
  }
}

TEST_P(ScheduleTest, AnExceptionDropsWhatNobodyHasBegun) {
  for (const Schedule schedule : {Schedule::kStatic, Schedule::kDynamic}) {
    std::atomic<int> calls{0};
    EXPECT_THROW(ParallelFor(pool(), 0, 1000000,
                             [&](int) {
                               calls.fetch_add(1);
                               throw std::runtime_error("at once");
                             },
                             {0, 1, schedule}),
                 std::runtime_error);
    EXPECT_LE(calls, num_workers() + 1);
  }
}

TEST_P(ScheduleTest, LoopsOfAllSchedulesNest) {
  std::atomic<int> calls{0};
  ParallelFor(pool(), 0, 4,
              [&](int) {
                ParallelFor(pool(), 0, 5,
                            [&](int) {
                              ParallelFor(pool(), 0, 6, [&](int) { ++calls; });
                            },
                            {0, 1, Schedule::kDynamic});
              },
              {0, 1, Schedule::kStatic});
  EXPECT_EQ(calls, 120);
}

// Indices that wait for each other end only if all threads are at work, also in
// the first run of the loop, when nothing is known about it.
TEST(ScheduleHelp, AllWorkersOfAnEagerPoolJoin) {
  for (const int workers : {1, 2, 4, 8}) {
    const auto pool = MakeEagerPool(workers);
    for (const Schedule schedule : {Schedule::kStatic, Schedule::kDynamic}) {
      Meeting meeting(workers + 1);
      std::atomic<bool> ok{true};
      ParallelFor(*pool, 0, workers + 1,
                  [&](int) {
                    if (!meeting.Attend()) ok = false;
                  },
                  {0, 1, schedule});
      EXPECT_TRUE(ok) << workers << " workers";
    }
  }
}

TEST(ScheduleHelp, AnAdaptivePoolHelpsWithTheFirstRunOfAStaticLoop) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  Meeting meeting(2);
  std::atomic<bool> ok{true};
  ParallelFor(pool, 0, 2,
              [&](int) {
                if (!meeting.Attend()) ok = false;
              },
              {0, 1, Schedule::kStatic});
  EXPECT_TRUE(ok);
}

// One index that takes as long as all others: whoever has it, others do the
// rest.
TEST(ScheduleHelp, DynamicBlocksDoNotWaitBehindALongOne) {
  const auto pool = MakeEagerPool(1);
  std::atomic<int> others{0};
  std::atomic<bool> ok{true};
  ParallelFor(*pool, 0, 200,
              [&](int i) {
                if (i != 0) {
                  others.fetch_add(1);
                } else if (!Eventually([&] { return others == 199; })) {
                  ok = false;
                }
              },
              {0, 1, Schedule::kDynamic});
  EXPECT_TRUE(ok);
}

TEST(ScheduleHelp, ADynamicLoopWhoseCostsRiseCallsForHelp) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  std::atomic<int> helped{0};
  ParallelFor(pool, 0, 1000,
              [&](Participant participant, int i) {
                if (participant == 1) helped.fetch_add(1);
                if (i >= 300) {
                  std::this_thread::sleep_for(std::chrono::microseconds(100));
                }
              },
              {0, 1, Schedule::kDynamic});
  EXPECT_GT(helped, 0);
}

TEST(ScheduleHelp, OnAnExecutorThatNeverComesTheCallerDoesItAll) {
  class Nobody final : public Executor {
   public:
    int MaxConcurrency() const override { return 4; }
    bool Invite(Invitation) override { return true; }
  } nobody;
  for (const Schedule schedule : {Schedule::kStatic, Schedule::kDynamic}) {
    std::vector<int> calls(1000, 0);
    ParallelFor(nobody, 0, 1000, [&](int i) { ++calls[i]; }, {0, 7, schedule});
    for (const int count : calls) ASSERT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace ceres::parallel
