// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parallel_invoke.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/short_sleep.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class ParallelInvokeTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, ParallelInvokeTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

int Fibonacci(ThreadPool& pool, int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
  ParallelInvoke(
      pool, [&] { a = Fibonacci(pool, n - 1); },
      [&] { b = Fibonacci(pool, n - 2); });
  return a + b;
}

// Forks to this depth, and calls leaf(first), ..., leaf(first + 2^depth - 1).
void CallLeaves(ThreadPool& pool, int depth,
                const std::function<void(int)>& leaf, int first = 0) {
  if (depth == 0) return leaf(first);
  const int middle = first + (1 << (depth - 1));
  ParallelInvoke(
      pool, [&] { CallLeaves(pool, depth - 1, leaf, first); },
      [&] { CallLeaves(pool, depth - 1, leaf, middle); });
}

TEST_P(ParallelInvokeTest, RecursionComputesFibonacci) {
  const int n = kThreadSanitizer ? 12 : 20;
  EXPECT_EQ(Fibonacci(pool(), n), kThreadSanitizer ? 144 : 6765);
}

TEST_P(ParallelInvokeTest, CallsEachOfManyFunctionsOnce) {
  for (int run = 0; run < 50; ++run) {
    int calls[5] = {0, 0, 0, 0, 0};
    ParallelInvoke(
        pool(), [&] { ++calls[0]; }, [&] { ++calls[1]; }, [&] { ++calls[2]; },
        [&] { ++calls[3]; }, [&] { ++calls[4]; });
    for (const int count : calls) ASSERT_EQ(count, 1);
  }
}

TEST_P(ParallelInvokeTest, ThrowingFirstFunctionReachesTheCaller) {
  for (int run = 0; run < 50; ++run) {
    std::atomic<int> inside{0};
    EXPECT_THROW(ParallelInvoke(
                     pool(), [] { throw std::runtime_error("f"); },
                     [&] {
                       inside.fetch_add(1);
                       std::this_thread::yield();
                       inside.fetch_sub(1);
                     }),
                 std::runtime_error);
    EXPECT_EQ(inside, 0);
  }
}

TEST_P(ParallelInvokeTest, ThrowingSecondFunctionReachesTheCaller) {
  for (int run = 0; run < 50; ++run) {
    bool first = false;
    EXPECT_THROW(
        ParallelInvoke(
            pool(), [&] { first = true; }, [] { throw std::logic_error("g"); }),
        std::logic_error);
    EXPECT_TRUE(first);
  }
}

TEST_P(ParallelInvokeTest, ExceptionsUnwindADeepRecursion) {
  EXPECT_THROW(
      CallLeaves(pool(), 12, [](int) { throw std::runtime_error("leaf"); }),
      std::runtime_error);
}

TEST_P(ParallelInvokeTest, MixesWithLoops) {
  std::atomic<int> sum{0};
  ParallelFor(pool(), 0, 20, [&](int) {
    ParallelInvoke(
        pool(),
        [&] { ParallelFor(pool(), 0, 10, [&](int) { sum.fetch_add(1); }); },
        [&] { ParallelFor(pool(), 0, 10, [&](int) { sum.fetch_add(1); }); });
  });
  EXPECT_EQ(sum, 400);
}

TEST(ParallelInvokeHelp, BothFunctionsRunAtOnce) {
  const auto pool = MakeEagerPool(1);
  Meeting meeting(2);
  const auto meet = [&] { EXPECT_TRUE(meeting.Attend()); };
  ParallelInvoke(*pool, meet, meet);
}

TEST(ParallelInvokeHelp, AnAdaptivePoolSharesARecursion) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> helped{0};
  CallLeaves(pool, 8, [&](int) {
    std::this_thread::sleep_for(kShortSleep);
    if (std::this_thread::get_id() != caller) helped.fetch_add(1);
  });
  EXPECT_GT(helped, 0);
}

// The forks of a thread that others may take are one caller to the pool, not
// many.
TEST(ParallelInvokeHelp, ComesBackToAThreadWithEveryCpuInUse) {
  ThreadPool pool(1);
  pool.SetRunningLimit(2);
  pool.SetSharing(Sharing::kAlways);
  constexpr int kDepth = 5;
  std::atomic<int> helped{0};
  const std::thread::id caller = std::this_thread::get_id();
  const std::function<void(int)> walk = [&](int depth) {
    if (depth == kDepth) return;
    ParallelInvoke(
        pool,
        [&] {
          EXPECT_TRUE(Eventually([&] { return helped > depth; }));
          walk(depth + 1);
        },
        [&] {
          if (std::this_thread::get_id() != caller) helped.fetch_add(1);
        });
  };
  walk(0);
  EXPECT_EQ(helped, kDepth);
}

TEST(ParallelInvokeHelp, WithoutAPoolUsesTheOneAtWork) {
  const auto pool = MakeEagerPool(2);
  std::atomic<int> sum{0};
  ParallelFor(*pool, 0, 10, [&](int) {
    ParallelInvoke([&] { sum.fetch_add(1); }, [&] { sum.fetch_add(2); });
  });
  ParallelInvoke([&] { sum.fetch_add(1); }, [&] { sum.fetch_add(2); });
  EXPECT_EQ(sum, 33);
}

// Forks of a pool that shares when it pays: short ones are not entered in the
// list (detail/fork.h).
class ShortForksTest : public ::testing::Test {
 protected:
  ThreadPool pool_{2};
};

TEST_F(ShortForksTest, RecursionOfShortForksIsComplete) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(Fibonacci(pool_, 22), 17711);
  }
}

// The limit between short and long forks is learned from short ones first, and
// must not lose the long ones.
TEST_F(ShortForksTest, LeavesOfAnyLengthRunOnce) {
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::vector<int> calls(4096, 0);
    CallLeaves(pool_, 12, [&](int i) {
      if (i % 512 == 511) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      ++calls[i];
    });
    EXPECT_EQ(calls, std::vector<int>(4096, 1));
  }
}

TEST_F(ShortForksTest, FirstClosureThatThrowsSkipsTheSecond) {
  ThreadPool alone(0);  // A helper might begin the second one earlier.
  Fibonacci(alone, 22);
  std::function<void(int)> descend = [&](int depth) {
    bool second_ran = false;
    EXPECT_THROW(ParallelInvoke(
                     alone,
                     [&] {
                       if (depth < 30) descend(depth + 1);
                       throw std::runtime_error("first");
                     },
                     [&] { second_ran = true; }),
                 std::runtime_error);
    EXPECT_FALSE(second_ran);
  };
  descend(0);
}

TEST_F(ShortForksTest, SecondClosureThatThrowsIsHeard) {
  std::function<void(int)> descend = [&](int depth) {
    bool first_ran = false;
    EXPECT_THROW(ParallelInvoke(
                     pool_,
                     [&] {
                       first_ran = true;
                       if (depth < 30) descend(depth + 1);
                     },
                     [] { throw std::runtime_error("second"); }),
                 std::runtime_error);
    EXPECT_TRUE(first_ran);
  };
  descend(0);
}

struct Counter {
  void operator()() { ++count; }
  int count = 0;
};

TEST_F(ShortForksTest, ClosuresThatChangeThemselvesAreNotCopied) {
  Counter first;
  Counter second;
  const int rounds = 1000;
  for (int round = 0; round < rounds; ++round) {
    ParallelInvoke(
        pool_, [&] { ParallelInvoke(pool_, first, second); }, [] {});
  }
  EXPECT_EQ(first.count, rounds);
  EXPECT_EQ(second.count, rounds);
}

// Forks of one pool that are known to be short say nothing about those of
// another.
TEST(ShortForks, AForkOnAnotherPoolWithinThemIsShared) {
  ThreadPool pool(0);
  const auto other = MakeEagerPool(1);
  std::atomic<bool> second_began{false};
  std::atomic<bool> met{false};
  const auto meet = [&] {
    ParallelInvoke(
        *other, [&] { met = Eventually([&] { return second_began.load(); }); },
        [&] { second_began = true; });
  };
  // Twice to the same depth: first only short ones, then one that meets.
  CallLeaves(pool, 13, [&](int i) {
    if (i == 1 << 12) meet();
  });
  EXPECT_TRUE(met);
}

}  // namespace
}  // namespace ceres::parallel
