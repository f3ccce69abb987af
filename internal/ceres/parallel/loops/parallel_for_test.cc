// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parallel_for.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/loops/loop_cost.h"
#include "ceres/parallel/loops/loop_run.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/plain_loop.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/pool/publication.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/short_sleep.h"
#include "ceres/parallel/testing/test_threads.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using ::testing::StartsWith;
using ::testing::ThrowsMessage;

// ----- Which loops may run as plain loops

// The cost of an index, in calls of a function.
constexpr float kLittle = 0.01f;
constexpr float kMuch = 10.0f;

// Loops at a site that is trusted, and whose indices take little.
class PlainLoops : public ::testing::Test {
 protected:
  PlainLoops() { SetUpSite(kLittle, /*is_trusted=*/true); }

  void SetUpSite(float cost_in_calls, bool is_trusted) {
    site_.measurements().cost = cost_in_calls * detail::CallTime();
    site_.measurements().plain_runs = is_trusted ? detail::kRunsToTrust : 0;
  }
  void Renew(std::int64_t n) { detail::RenewPlainLoops(site_, n, plain_); }
  bool IsPlain(std::int64_t n) { return detail::IsPlain(plain_, n); }

  // The time of that number of function calls.
  static std::chrono::nanoseconds CallsOf(float calls) {
    return std::chrono::nanoseconds(
        static_cast<std::int64_t>(calls * detail::CallTime()));
  }

  // The number of loops of n indices, among `calls`, that run without being
  // timed, if a timed loop teaches nothing new.
  int CountPlain(std::int64_t n, int calls) {
    int untimed = 0;
    for (int call = 0; call < calls; ++call) {
      if (IsPlain(n)) {
        ++untimed;
      } else {
        Renew(n);
      }
    }
    return untimed;
  }

  detail::LoopSite site_;
  detail::PlainLoops plain_;
};

TEST_F(PlainLoops, AreTimedNowAndThen) {
  for (const std::int64_t n : {1, 8, 63, 64, 100, 500, 10000}) {
    plain_ = {};
    const int untimed = CountPlain(n, 100000);
    EXPECT_LT(untimed, 100000) << n;
    EXPECT_GT(untimed, 80000) << n;
  }
}

// The longer they are, the sooner.
TEST_F(PlainLoops, AreCheckedWithinAFixedNumberOfRuns) {
  for (const std::int64_t n : {1, 64, 1000, 10000, 90000}) {
    plain_ = {};
    const float time = kLittle * detail::CallTime() * static_cast<float>(n);
    const float runs_per_check =
        std::min(detail::kRunsPerCheck,
                 detail::kCallsPerCheck * detail::CallTime() / time);
    std::set<int> counts;
    for (int sample = 0; sample < 100; ++sample) {
      Renew(n);
      int runs = 0;
      while (IsPlain(n)) ++runs;
      EXPECT_GE(runs, 1) << n;
      EXPECT_LE(runs, 1.0f + 2.0f * runs_per_check) << n;
      counts.insert(runs);
    }
    EXPECT_GT(counts.size(), 1u) << n;
  }
}

// Uses up the runs that may be plain.
TEST_F(PlainLoops, ThatWereShortMayRunOn) {
  FakeClock clock;
  Renew(8);
  for (int check = 0; check < 1000; ++check) {
    while (IsPlain(8)) {
    }
    clock.Advance(CallsOf(detail::kCallsPerCheck));
    EXPECT_TRUE(detail::ArePlainLoopsShort(8, plain_)) << check;
  }
}

TEST_F(PlainLoops, ThatWereLongAreTimed) {
  FakeClock clock;
  Renew(8);
  while (IsPlain(8)) {
  }
  clock.Advance(CallsOf(2.0f * detail::kMostCallsPerCheck));
  EXPECT_FALSE(detail::ArePlainLoopsShort(8, plain_));
  EXPECT_FALSE(IsPlain(8));
}

// Also if they take three times what the site has measured.
TEST_F(PlainLoops, AreCheckedAgainAfterTheSameTime) {
  constexpr std::int64_t kElements = 1000;
  const auto time = CallsOf(3.0f * kLittle * kElements);
  FakeClock clock;
  Renew(kElements);
  constexpr int kChecks = 1000;
  std::int64_t runs = 0;
  for (int check = 0; check < kChecks; ++check) {
    for (; IsPlain(kElements); ++runs) clock.Advance(time);
    EXPECT_TRUE(detail::ArePlainLoopsShort(kElements, plain_));
  }
  const float mean = static_cast<float>(runs * time.count()) / kChecks;
  EXPECT_GT(mean, 0.7f * detail::kCallsPerCheck * detail::CallTime());
  EXPECT_LT(mean, 1.5f * detail::kCallsPerCheck * detail::CallTime());
}

TEST_F(PlainLoops, OfAnotherLengthOrDepthAreNotTakenForShort) {
  Renew(8);
  while (IsPlain(8)) {
  }
  EXPECT_FALSE(detail::ArePlainLoopsShort(plain_.longest + 1, plain_));
  {
    const detail::AtLoopDepth deeper(1);
    EXPECT_FALSE(detail::ArePlainLoopsShort(8, plain_));
  }
  EXPECT_TRUE(detail::ArePlainLoopsShort(8, plain_));
}

TEST_F(PlainLoops, AreOfOneDepth) {
  Renew(8);
  EXPECT_TRUE(IsPlain(8));
  const detail::AtLoopDepth deeper(1);
  EXPECT_FALSE(IsPlain(8));
  // Nothing is known of this depth: the loops of the other one stay plain.
  Renew(8);
  {
    const detail::AtLoopDepth outer(0);
    EXPECT_TRUE(IsPlain(8));
  }
  SetUpSite(kLittle, /*is_trusted=*/true);
  Renew(8);
  EXPECT_TRUE(IsPlain(8));
}

TEST_F(PlainLoops, AreNoneWithoutIndices) {
  EXPECT_GT(CountPlain(8, 10), 0);
  EXPECT_FALSE(IsPlain(0));
  EXPECT_FALSE(IsPlain(-1));
  EXPECT_FALSE(IsPlain(std::numeric_limits<std::int64_t>::min()));
}

TEST_F(PlainLoops, AreNotLongOnes) {
  EXPECT_EQ(CountPlain(15000000, 1000), 0);
  // They leave the untimed runs to shorter loops.
  EXPECT_GT(CountPlain(8, 10), 0);
  const std::int64_t untimed_runs = plain_.untimed_runs;
  EXPECT_EQ(CountPlain(15000000, 1000), 0);
  EXPECT_EQ(plain_.untimed_runs, untimed_runs);
}

TEST_F(PlainLoops, MayCallFunctionsIfTheyAreShort) {
  SetUpSite(kMuch, /*is_trusted=*/true);
  EXPECT_GT(CountPlain(12, 1000), 500);
  EXPECT_EQ(CountPlain(200, 1000), 0);
}

TEST_F(PlainLoops, AreNoneUntilTheirSiteIsTrusted) {
  SetUpSite(std::numeric_limits<float>::infinity(), /*is_trusted=*/false);
  EXPECT_EQ(CountPlain(8, 1000), 0);
  SetUpSite(kLittle, /*is_trusted=*/false);
  EXPECT_EQ(CountPlain(8, 1000), 0);
  SetUpSite(kLittle, /*is_trusted=*/true);
  EXPECT_GT(CountPlain(8, 10), 0);
  // A loop is timed, and was of another kind.
  SetUpSite(kMuch, /*is_trusted=*/false);
  Renew(8);
  EXPECT_FALSE(IsPlain(8));
}

// While all workers sleep, only some loops of two to four microseconds are
// timed. The savings missed by the others count all the same.
TEST(SeldomTimedLoops, InARowWakeAWorker) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  bool was_woken = false;
  for (int run = 0; run < 100000 && !was_woken; ++run) {
    ParallelFor(pool, 0, 1000, [](BasicIndexRange<int> range) {
      const base::Ticks start = base::Now();
      const auto nanoseconds = 2.5f * static_cast<float>(range.size());
      while (base::Nanoseconds(base::Now() - start) < nanoseconds) {
      }
    });
    was_woken = pool.state().NumAwake() > 0;
  }
  EXPECT_TRUE(was_woken);
}

class ParallelForTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, ParallelForTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

void ExpectEachOnce(const std::vector<int>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ASSERT_EQ(calls[i], 1) << "index " << i;
  }
}

TEST_P(ParallelForTest, VisitsEveryIndexOnceForEveryLength) {
  for (const int n : {0, 1, 2, 3, 7, 63, 64, 65, 1000, 100000}) {
    std::vector<int> calls(n, 0);
    for (int run = 0; run < 3; ++run) {
      ParallelFor(pool(), 0, n, [&](int i) { ++calls[i]; });
    }
    for (const int count : calls) ASSERT_EQ(count, 3);
  }
}

// Some of them run inline, some are timed, others only look at the clock.
TEST_P(ParallelForTest, ManyTinyLoopsVisitEveryIndex) {
  constexpr int kLoops = 20000;
  std::atomic<std::int64_t> sum{0};
  for (int loop = 0; loop < kLoops; ++loop) {
    ParallelFor(pool(), 3, 7,
                [&](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
  }
  EXPECT_EQ(sum, (3 + 4 + 5 + 6) * kLoops);
}

TEST_P(ParallelForTest, BoundsMayBeNegativeWideOrReversed) {
  std::vector<int> calls(100, 0);
  ParallelFor(pool(), -50, 50, [&](int i) { ++calls[i + 50]; });
  ExpectEachOnce(calls);
  const std::int64_t base = std::int64_t{1} << 40;
  std::vector<int> wide(100, 0);
  ParallelFor(pool(), base, base + 100,
              [&](std::int64_t i) { ++wide[i - base]; });
  ExpectEachOnce(wide);
  ParallelFor(pool(), 5, 3, [&](int) { FAIL() << "an empty range"; });
}

TEST_P(ParallelForTest, AcceptsTheFourFormsOfBodies) {
  constexpr int kN = 1000;
  std::vector<int> calls(kN, 0);
  ParallelFor(pool(), 0, kN, [&](int i) { ++calls[i]; });
  ParallelFor(pool(), 0, kN, [&](Participant participant, int i) {
    EXPECT_GE(participant, 0);
    ++calls[i];
  });
  ParallelFor(pool(), 0, kN, [&](BasicIndexRange<int> range) {
    EXPECT_FALSE(range.empty());
    for (int i = range.begin; i < range.end; ++i) ++calls[i];
  });
  ParallelFor(pool(), 0, kN, [&](Participant participant, IndexRange range) {
    EXPECT_GE(participant, 0);
    for (std::int64_t i = range.begin; i < range.end; ++i) ++calls[i];
  });
  for (const int count : calls) ASSERT_EQ(count, 4);
}

TEST_P(ParallelForTest, CallerIsParticipantZero) {
  const std::thread::id caller = std::this_thread::get_id();
  ParallelFor(pool(), 0, 200, [&](Participant participant, int) {
    EXPECT_EQ(participant == 0, std::this_thread::get_id() == caller);
    std::this_thread::yield();
  });
}

TEST_P(ParallelForTest, PiecesHaveAtLeastAGrain) {
  for (const int grain : {1, 10, 64, 999, 1000, 5000}) {
    std::atomic<int> covered{0};
    ParallelFor(pool(), 0, 1000,
                [&](BasicIndexRange<int> range) {
                  EXPECT_GE(range.size(), std::min(grain, 1000) / 2 + 1);
                  covered += range.size();
                },
                {0, grain});
    EXPECT_EQ(covered, 1000);
  }
}

TEST_P(ParallelForTest, NestsToAnyDepth) {
  std::atomic<int> leaves{0};
  const std::function<void(int)> nest = [&](int depth) {
    if (depth == 0) {
      leaves.fetch_add(1);
    } else {
      ParallelFor(pool(), 0, 3, [&](int) { nest(depth - 1); });
    }
  };
  nest(7);
  EXPECT_EQ(leaves, 2187);
}

TEST_P(ParallelForTest, WritesAreVisibleToTheBodyAndToTheCallerAfterwards) {
  std::vector<int> input(5000);
  std::vector<int> output(5000);
  for (int run = 0; run < 20; ++run) {
    for (int& x : input) x = run;
    ParallelFor(pool(), 0, 5000, [&](int i) { output[i] = input[i] + i; });
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(output[i], run + i);
  }
}

TEST_P(ParallelForTest, FirstExceptionIsRethrownWhenNobodyIsInTheBody) {
  for (int run = 0; run < 20; ++run) {
    std::atomic<int> inside{0};
    const auto loop = [&] {
      ParallelFor(pool(), 0, 100, [&](int i) {
        inside.fetch_add(1);
        std::this_thread::yield();
        inside.fetch_sub(1);
        if (i % 10 == 3) throw std::runtime_error("index " + std::to_string(i));
      });
    };
    EXPECT_THAT(loop, ThrowsMessage<std::runtime_error>(StartsWith("index ")));
    EXPECT_EQ(inside, 0);
  }
}

TEST_P(ParallelForTest, AnInnerExceptionPassesThroughTheOuterLoop) {
  EXPECT_THROW(ParallelFor(pool(), 0, 8,
                           [&](int i) {
                             ParallelFor(pool(), 0, 8, [&](int j) {
                               if (i == 5 && j == 5) throw std::logic_error("");
                             });
                           }),
               std::logic_error);
}

TEST_P(ParallelForTest, SeveralCallersShareThePool) {
  RunInThreads(4, [this](int) {
    for (int run = 0; run < 50; ++run) {
      std::vector<int> calls(300, 0);
      ParallelFor(pool(), 0, 300, [&](int i) { ++calls[i]; });
      ExpectEachOnce(calls);
    }
  });
}

TEST_P(ParallelForTest, ABodyWithStateOfItsOwnIsNotCopied) {
  struct Body {
    std::atomic<int> calls{0};
    void operator()(int) { calls.fetch_add(1); }
  } body;
  ParallelFor(pool(), 0, 100, body);
  EXPECT_EQ(body.calls, 100);
}

// Copied, it would be cheap; but the caller has a name for it.
TEST_P(ParallelForTest, WhatABodyPutsIntoItselfStays) {
  struct Body {
    mutable std::array<int, 4> seen{};
    void operator()(int i) const { seen[i] = i + 1; }
  } body;
  ParallelFor(pool(), 0, 4, body);
  EXPECT_EQ(body.seen, (std::array<int, 4>{1, 2, 3, 4}));
  struct Counter {
    mutable std::atomic<int> calls{0};
    void operator()(int) const { calls.fetch_add(1); }
  } counter;
  ParallelFor(pool(), 0, 1000, counter);
  ParallelFor(pool(), body.seen, counter);
  EXPECT_EQ(counter.calls, 1004);
}

TEST(ParallelForHelp, AnAdaptivePoolCallsHelpForALongLoop) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  std::atomic<int> helped{0};
  ParallelFor(pool, 0, 500, [&](Participant participant, int) {
    std::this_thread::sleep_for(kShortSleep);
    if (participant == 1) helped.fetch_add(1);
  });
  EXPECT_GT(helped, 0);
}

TEST(ParallelForHelp, AnOwnerThatSleepsIsRousedByALoopWithinItsOwn) {
  const auto pool = MakeEagerPool(1);
  std::atomic<bool> caller_helped{false};
  const std::thread::id caller = std::this_thread::get_id();
  Meeting outer(2);
  ParallelFor(*pool, 0, 2, [&](int) {
    // Both indices must be in different threads.
    EXPECT_TRUE(outer.Attend());
    if (std::this_thread::get_id() == caller) return;
    // The caller has nothing to do now, and falls asleep.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Meeting inner(2);
    ParallelFor(*pool, 0, 2, [&](int) {
      EXPECT_TRUE(inner.Attend());
      if (std::this_thread::get_id() == caller) caller_helped = true;
    });
  });
  EXPECT_TRUE(caller_helped);
}

// Few indices that were short for long may be plain loops; when they are long,
// that is noticed.
TEST(ParallelForHelp, APlaceOfShortLoopsIsSharedWhenTheyBecomeLong) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> was_shared{false};
  const auto run = [&](std::chrono::microseconds duration) {
    ParallelFor(pool, 0, 8, [&](int) {
      if (duration.count() > 0) std::this_thread::sleep_for(duration);
      if (std::this_thread::get_id() != caller) was_shared = true;
    });
  };
  for (int k = 0; k < 1000; ++k) run(std::chrono::microseconds(0));
  // The first run is shared, and one in which the caller was held up may be.
  was_shared = false;
  for (int k = 0; k < 1000 && !was_shared; ++k) {
    run(kShortSleep);
  }
  EXPECT_TRUE(was_shared);
}

}  // namespace
}  // namespace ceres::parallel
