// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The schedules of ParallelFor.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/short_sleep.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Range = BasicIndexRange<int>;

constexpr Schedule kSchedules[] = {Schedule::kAdaptive, Schedule::kStatic,
                                   Schedule::kDynamic};

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

// Visits 300 indices, at some of which it nests. An index that two threads
// visit at once is a data race.
void ExpectIdsAreHeldByOneThread(ThreadPool& pool, unsigned seed, int depth) {
  const int max_threads = 1 + static_cast<int>(seed % 9);
  std::vector<int> calls(300, 0);
  std::vector<std::atomic<int>> holders(max_threads);
  ParallelFor(pool, 0, 300,
              [&](Participant participant, int i) {
                ASSERT_GE(participant, 0);
                ASSERT_LT(participant, max_threads);
                EXPECT_EQ(holders[participant].fetch_add(1), 0);
                ++calls[i];
                std::this_thread::yield();
                holders[participant].fetch_sub(1);
                if (depth == 0 || i % 100 != 0) return;
                ExpectIdsAreHeldByOneThread(pool, seed + i / 100, depth - 1);
              },
              {max_threads, 1 + seed % 2, kSchedules[seed % 3]});
  for (const int count : calls) ASSERT_EQ(count, 1);
}

TEST_P(ScheduleTest, ParticipantIdsAreBelowMaxThreadsAndHeldByOneThread) {
  for (unsigned seed = 0; seed < 27; ++seed) {
    ExpectIdsAreHeldByOneThread(pool(), seed, 0);
  }
}

TEST(ScheduleStress, NestedLoopsVisitIndicesOnceWhileThePoolIsResized) {
  // Every maximum of threads with every schedule and grain. Each index yields,
  // which takes long on a busy machine.
  constexpr unsigned kNumSeeds = 18;
  const auto pool = MakeEagerPool(4);
  std::atomic<int> callers_left{2};
  std::vector<std::thread> callers;
  for (unsigned caller = 0; caller < 2; ++caller) {
    callers.emplace_back([&, caller] {
      for (unsigned seed = caller; seed < kNumSeeds; seed += 2) {
        ExpectIdsAreHeldByOneThread(*pool, seed, 2);
      }
      callers_left.fetch_sub(1);
    });
  }
  for (int k = 0; callers_left > 0; ++k) {
    pool->Resize(5 * k % 9);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_P(ScheduleTest, AnExceptionDropsWhatNobodyHasBegun) {
  for (const Schedule schedule : kSchedules) {
    std::atomic<int> calls{0};
    EXPECT_THROW(ParallelFor(pool(), 0, 1000000,
                             [&](int) {
                               calls.fetch_add(1);
                               throw std::runtime_error("at once");
                             },
                             {0, 1, schedule}),
                 std::runtime_error);
    EXPECT_LE(calls, num_workers() + 1);
    // The pool works as before.
    calls = 0;
    ParallelFor(pool(), 0, 1000, [&](int) { ++calls; }, {0, 1, schedule});
    EXPECT_EQ(calls, 1000);
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

TEST(ScheduleHelp, AllWorkersOfAnEagerPoolJoin) {
  for (const int workers : {1, 2, 4, 8}) {
    const auto pool = MakeEagerPool(workers);
    for (const Schedule schedule : kSchedules) {
      Meeting meeting(workers + 1);
      ParallelFor(*pool, 0, workers + 1,
                  [&](int) { EXPECT_TRUE(meeting.Attend()); },
                  {0, 1, schedule});
    }
  }
}

TEST(ScheduleHelp, AnAdaptivePoolHelpsWithTheFirstRunOfAStaticLoop) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  Meeting meeting(2);
  ParallelFor(pool, 0, 2, [&](int) { EXPECT_TRUE(meeting.Attend()); },
              {0, 1, Schedule::kStatic});
}

// One index takes as long as all others together. While a thread runs it, other
// threads run the rest.
TEST(ScheduleHelp, DynamicBlocksDoNotWaitBehindALongOne) {
  const auto pool = MakeEagerPool(1);
  std::atomic<int> others{0};
  ParallelFor(*pool, 0, 200,
              [&](int i) {
                if (i != 0) {
                  others.fetch_add(1);
                } else {
                  EXPECT_TRUE(Eventually([&] { return others == 199; }));
                }
              },
              {0, 1, Schedule::kDynamic});
}

TEST(ScheduleHelp, ADynamicLoopWhoseCostsRiseCallsForHelp) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  std::atomic<int> helped{0};
  ParallelFor(pool, 0, 600,
              [&](Participant participant, int i) {
                if (participant == 1) helped.fetch_add(1);
                if (i >= 300) std::this_thread::sleep_for(kShortSleep);
              },
              {0, 1, Schedule::kDynamic});
  EXPECT_GT(helped, 0);
}

TEST(ScheduleHelp, OnAnExecutorThatNeverComesTheCallerDoesItAll) {
  KeepingHost nobody;
  for (const Schedule schedule : kSchedules) {
    std::vector<int> calls(1000, 0);
    ParallelFor(nobody, 0, 1000, [&](int i) { ++calls[i]; }, {0, 7, schedule});
    for (const int count : calls) ASSERT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace ceres::parallel
