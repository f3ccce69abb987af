// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops with a token.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/parallel_for_each.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr Schedule kSchedules[] = {Schedule::kAdaptive, Schedule::kStatic,
                                   Schedule::kDynamic};

// The token must outlive the options.
LoopOptions Options(const CancellationToken& token,
                    Schedule schedule = Schedule::kAdaptive) {
  LoopOptions options;
  options.schedule = schedule;
  options.token = &token;
  return options;
}

class LoopCancellationTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, LoopCancellationTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(LoopCancellationTest, ATokenThatSaysNothingChangesNothing) {
  const CancellationToken none;
  const CancellationSource source;
  for (const CancellationToken& token : {none, source.token()}) {
    for (const Schedule schedule : kSchedules) {
      std::vector<int> calls(10000, 0);
      EXPECT_EQ(ParallelFor(
                    pool(), 0, 10000, [&](int i) { ++calls[i]; },
                    Options(token, schedule)),
                Status::kCompleted);
      for (const int count : calls) ASSERT_EQ(count, 1);
    }
  }
}

TEST_P(LoopCancellationTest, NothingRunsIfItWasCancelledBefore) {
  CancellationSource source;
  source.Cancel();
  const CancellationSource late(steady_clock::now() - milliseconds(1));
  for (const Schedule schedule : kSchedules) {
    EXPECT_EQ(ParallelFor(
                  pool(), 0, 1000, [](int) { FAIL(); },
                  Options(source.token(), schedule)),
              Status::kCancelled);
    EXPECT_EQ(ParallelFor(
                  pool(), 0, 1000, [](int) { FAIL(); },
                  Options(late.token(), schedule)),
              Status::kDeadlineExceeded);
    EXPECT_EQ(ParallelFor(
                  pool(), 5, 5, [](int) { FAIL(); },
                  Options(source.token(), schedule)),
              Status::kCompleted);
  }
}

TEST_P(LoopCancellationTest, PiecesThatNobodyHasBegunAreDropped) {
  constexpr int kN = 1000000;
  for (const Schedule schedule : kSchedules) {
    for (int run = 0; run < 3; ++run) {
      CancellationSource source;
      std::atomic<int> calls{0};
      EXPECT_EQ(ParallelFor(
                    pool(), 0, kN,
                    [&](int) {
                      if (calls.fetch_add(1) == 100) source.Cancel();
                      std::this_thread::yield();
                    },
                    Options(source.token(), schedule)),
                Status::kCancelled);
      EXPECT_GT(calls, 100);
      EXPECT_LT(calls, kN / 10);
    }
  }
}

TEST_P(LoopCancellationTest, NobodyIsInTheBodyWhenItReturns) {
  for (int run = 0; run < 20; ++run) {
    CancellationSource source;
    std::atomic<int> inside{0};
    ParallelFor(
        pool(), 0, 100,
        [&](int i) {
          inside.fetch_add(1);
          if (i == 3) source.Cancel();
          std::this_thread::yield();
          inside.fetch_sub(1);
        },
        Options(source.token()));
    EXPECT_EQ(inside, 0);
  }
}

TEST_P(LoopCancellationTest, ATokenThatSpeaksInTheLastPieceChangesNothing) {
  for (const Schedule schedule : kSchedules) {
    CancellationSource source;
    std::atomic<int> calls{0};
    EXPECT_EQ(ParallelFor(
                  pool(), 0, 1,
                  [&](int) {
                    ++calls;
                    source.Cancel();
                  },
                  Options(source.token(), schedule)),
              Status::kCompleted);
    EXPECT_EQ(calls, 1);
  }
}

TEST_P(LoopCancellationTest, AnExceptionComesBeforeTheToken) {
  for (const Schedule schedule : kSchedules) {
    CancellationSource source;
    EXPECT_THROW(ParallelFor(
                     pool(), 0, 10000,
                     [&](int) {
                       source.Cancel();
                       throw std::runtime_error("first");
                     },
                     Options(source.token(), schedule)),
                 std::runtime_error);
  }
}

// An inner loop that its own token stops, by an exception of the user's.
TEST_P(LoopCancellationTest, AnotherTokensExceptionIsAnException) {
  const CancellationSource source;
  EXPECT_THROW(ParallelFor(
                   pool(), 0, 100,
                   [&](int i) {
                     if (i == 50) throw StoppedByToken(Status::kCancelled);
                   },
                   Options(source.token())),
               StoppedByToken);
}

TEST_P(LoopCancellationTest, ThePoolWorksAfterACancelledLoop) {
  CancellationSource source;
  ParallelFor(
      pool(), 0, 1000, [&](int) { source.Cancel(); }, Options(source.token()));
  std::vector<int> calls(1000, 0);
  ParallelFor(pool(), 0, 1000, [&](int i) { ++calls[i]; });
  for (const int count : calls) ASSERT_EQ(count, 1);
}

TEST_P(LoopCancellationTest, PiecesAreNotCutBelowAGrain) {
  const CancellationToken token = CancellationSource().token();
  LoopOptions options = Options(token);
  options.grain = 100;
  std::atomic<int> covered{0};
  ParallelFor(
      pool(), 0, 10000,
      [&](BasicIndexRange<int> range) {
        EXPECT_GE(range.size(), 51);
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        covered += range.size();
      },
      options);
  EXPECT_EQ(covered, 10000);
}

TEST_P(LoopCancellationTest, ContainersAndCostsHaveTokensToo) {
  CancellationSource source;
  source.Cancel();
  const CancellationToken token = source.token();
  const std::vector<int> v(100, 1);
  const LoopOptions options = Options(token);
  EXPECT_EQ(ParallelForEach(
                pool(), v, [](int) { FAIL(); }, options),
            Status::kCancelled);
  EXPECT_EQ(ParallelForByCost(
                pool(), 0, 100, [](int i) { return i; }, [](int) { FAIL(); },
                options),
            Status::kCancelled);
}

// Ten seconds of work and a deadline of 50 ms.
TEST_P(LoopCancellationTest, ADeadlineEndsTheLoop) {
  FakeClock clock;
  for (const Schedule schedule : kSchedules) {
    const CancellationSource source(milliseconds(50));
    std::atomic<int> calls{0};
    EXPECT_EQ(ParallelFor(
                  pool(), 0, 10000,
                  [&](int) {
                    calls.fetch_add(1);
                    clock.Advance(milliseconds(1));
                  },
                  Options(source.token(), schedule)),
              Status::kDeadlineExceeded);
    EXPECT_GE(calls, 50);
    // Each of up to 65 threads ends the index that it is at.
    EXPECT_LE(calls, 50 + 65);
  }
}

// Once the loop's cost is known, short indices are not looked at one by one,
// but about every 100 us: 20 ms of them are cut into more than 20 pieces.
TEST(LoopCancellation, ADeadlineCutsShortIndicesOften) {
  FakeClock clock;
  ThreadPool pool(1);
  for (int run = 0; run < 4; ++run) {
    const CancellationSource source(milliseconds(20));
    std::atomic<std::int64_t> pieces{0};
    const Status status = ParallelFor(
        pool, std::int64_t{0}, std::int64_t{1} << 50,
        [&](BasicIndexRange<std::int64_t> range) {
          pieces.fetch_add(1);
          // A nanosecond an index: without pieces, for days.
          clock.Advance(std::chrono::nanoseconds(range.size()));
        },
        Options(source.token()));
    EXPECT_EQ(status, Status::kDeadlineExceeded);
    EXPECT_GT(pieces, 20);
  }
}

TEST(LoopCancellation, ALoopInTheCallerAloneLooksToo) {
  FakeClock clock;
  ThreadPool pool(2);
  for (const Schedule schedule : kSchedules) {
    const CancellationToken token =
        CancellationSource(milliseconds(20)).token();
    LoopOptions options = Options(token, schedule);
    options.max_threads = 1;
    EXPECT_EQ(ParallelFor(
                  pool, 0, 10000, [&](int) { clock.Advance(milliseconds(1)); },
                  options),
              Status::kDeadlineExceeded);
  }
}

TEST(LoopCancellation, AnotherThreadCancels) {
  const auto pool = MakeEagerPool(2);
  for (const Schedule schedule : kSchedules) {
    CancellationSource source;
    std::atomic<bool> begun{false};
    std::thread canceller([&] {
      Eventually([&] { return begun.load(); });
      source.Cancel();
    });
    EXPECT_EQ(ParallelFor(
                  *pool, 0, 1000000,
                  [&](int) {
                    begun = true;
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
                  },
                  Options(source.token(), schedule)),
              Status::kCancelled);
    canceller.join();
  }
}

}  // namespace
}  // namespace ceres::parallel
