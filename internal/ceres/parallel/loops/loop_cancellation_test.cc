// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops, reductions and scans with a token.

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/parallel_scan.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr Schedule kSchedules[] = {Schedule::kAdaptive, Schedule::kStatic,
                                   Schedule::kDynamic};

LoopOptions Options(const CancellationToken& token,
                    Schedule schedule = Schedule::kAdaptive) {
  LoopOptions options;
  options.schedule = schedule;
  options.token = token;
  return options;
}

class LoopCancellationTest : public ForEachPool {
 protected:
  template <typename Body>
  Status Loop(int n, const Body& body, const CancellationToken& token,
              Schedule schedule = Schedule::kAdaptive) {
    return ParallelFor(pool(), 0, n, body, Options(token, schedule));
  }
};
INSTANTIATE_TEST_SUITE_P(Pools, LoopCancellationTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(LoopCancellationTest, ATokenThatSaysNothingChangesNothing) {
  const CancellationToken none;
  const CancellationSource source;
  for (const CancellationToken& token : {none, source.token()}) {
    for (const Schedule schedule : kSchedules) {
      std::vector<int> calls(10000, 0);
      EXPECT_EQ(Loop(
                    10000, [&](int i) { ++calls[i]; }, token, schedule),
                Status::kCompleted);
      for (const int count : calls) ASSERT_EQ(count, 1);
    }
  }
}

TEST_P(LoopCancellationTest, NothingRunsIfItWasCancelledBefore) {
  CancellationSource source;
  source.Cancel();
  const CancellationSource late(steady_clock::now() - milliseconds(1));
  const auto fail = [](int) { FAIL(); };
  for (const Schedule schedule : kSchedules) {
    EXPECT_EQ(Loop(1000, fail, source.token(), schedule), Status::kCancelled);
    EXPECT_EQ(Loop(1000, fail, late.token(), schedule),
              Status::kDeadlineExceeded);
    EXPECT_EQ(Loop(0, fail, source.token(), schedule), Status::kCompleted);
  }
}

TEST_P(LoopCancellationTest, PiecesThatNobodyHasBegunAreDropped) {
  constexpr int kN = 1000000;
  for (const Schedule schedule : kSchedules) {
    for (int run = 0; run < 3; ++run) {
      CancellationSource source;
      std::atomic<int> calls{0};
      const auto body = [&](int) {
        if (calls.fetch_add(1) == 100) source.Cancel();
        std::this_thread::yield();
      };
      EXPECT_EQ(Loop(kN, body, source.token(), schedule), Status::kCancelled);
      EXPECT_GT(calls, 100);
      EXPECT_LT(calls, kN / 10);
    }
  }
}

TEST_P(LoopCancellationTest, NobodyIsInTheBodyWhenItReturns) {
  for (int run = 0; run < 20; ++run) {
    CancellationSource source;
    std::atomic<int> inside{0};
    const auto body = [&](int i) {
      inside.fetch_add(1);
      if (i == 3) source.Cancel();
      std::this_thread::yield();
      inside.fetch_sub(1);
    };
    Loop(100, body, source.token());
    EXPECT_EQ(inside, 0);
  }
}

TEST_P(LoopCancellationTest, ATokenThatSpeaksInTheLastPieceChangesNothing) {
  for (const Schedule schedule : kSchedules) {
    CancellationSource source;
    std::atomic<int> calls{0};
    const auto body = [&](int) {
      ++calls;
      source.Cancel();
    };
    EXPECT_EQ(Loop(1, body, source.token(), schedule), Status::kCompleted);
    EXPECT_EQ(calls, 1);
  }
}

TEST_P(LoopCancellationTest, AnExceptionComesBeforeTheToken) {
  for (const Schedule schedule : kSchedules) {
    CancellationSource source;
    const auto body = [&](int) {
      source.Cancel();
      throw std::runtime_error("first");
    };
    EXPECT_THROW(Loop(10000, body, source.token(), schedule),
                 std::runtime_error);
  }
}

// An inner loop that its own token stops, by an exception of the user's.
TEST_P(LoopCancellationTest, AnotherTokensExceptionIsAnException) {
  const CancellationSource source;
  const auto body = [](int i) {
    if (i == 50) throw StoppedByToken(Status::kCancelled);
  };
  EXPECT_THROW(Loop(100, body, source.token()), StoppedByToken);
}

TEST_P(LoopCancellationTest, ThePoolWorksAfterACancelledLoop) {
  CancellationSource source;
  Loop(
      1000, [&](int) { source.Cancel(); }, source.token());
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
  EXPECT_EQ(ParallelFor(
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
    const auto body = [&](int) {
      calls.fetch_add(1);
      clock.Advance(milliseconds(1));
    };
    EXPECT_EQ(Loop(10000, body, source.token(), schedule),
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

// ----- Reductions and scans

using At = std::function<void()>;

// Cut into 64 blocks if the grain is 1. Calls `at` for elements, and says how
// it ended.
struct Reduction {
  const char* name;
  int n;
  int calls_per_block;  // Of `at`, at most.
  Status (*run)(ThreadPool& pool, int n, const LoopOptions& options,
                const At& at);
};

template <typename Reduce>
Status StatusOf(const Reduce& reduce) {
  try {
    reduce();
  } catch (const StoppedByToken& stopped) {
    return stopped.status();
  }
  return Status::kCompleted;
}

// The sums of ones, of which a scan that is stopped does not make the last.
template <typename Scan>
Status ScanOnes(int n, const At& at, const Scan& scan) {
  const std::vector<int> ones(n, 1);
  std::vector<int> sums(n, -1);
  const auto add = [&](int a, int b) {
    at();
    return a + b;
  };
  const Status status = scan(ones, sums.begin(), add);
  EXPECT_EQ(status == Status::kCompleted, sums.back() != -1);
  return status;
}

// kSite makes places in the source. A place learns from loops that are not
// stopped.
template <int kSite>
std::vector<Reduction> Reductions() {
  return {
      {"Reduce", 64, 1,
       [](ThreadPool& pool, int n, const LoopOptions& options, const At& at) {
         const auto map = [&](int i) {
           at();
           return i;
         };
         return StatusOf([&] {
           ParallelReduce(pool, 0, n, 0, map, std::plus<>(), options);
         });
       }},
      {"Min", 64, 1,
       [](ThreadPool& pool, int n, const LoopOptions& options, const At& at) {
         const auto project = [&](int x) {
           at();
           return x;
         };
         return StatusOf(
             [&] { ParallelMin(pool, std::vector<int>(n), project, options); });
       }},
      {"SumInATask", 64, 1,
       [](ThreadPool& pool, int n, const LoopOptions& options, const At& at) {
         const auto project = [&](int x) {
           at();
           return x;
         };
         return StatusOf([&] {
           Async(pool, [&] {
             return ParallelSum(pool, std::vector<int>(n), project, options);
           }).Get();
         });
       }},
      // The caller's block applies the operation up to three times to an
      // element.
      {"InclusiveScan", 6400, 300,
       [](ThreadPool& pool, int n, const LoopOptions& options, const At& at) {
         return ScanOnes(n, at,
                         [&](const auto& v, auto output, const auto& add) {
                           return ParallelInclusiveScan(
                               pool, v.begin(), v.end(), output, add, options);
                         });
       }},
      {"ExclusiveScan", 6400, 300,
       [](ThreadPool& pool, int n, const LoopOptions& options, const At& at) {
         return ScanOnes(
             n, at, [&](const auto& v, auto output, const auto& add) {
               return ParallelExclusiveScan(pool, v.begin(), v.end(), output, 0,
                                            add, options);
             });
       }},
  };
}

TEST_P(LoopCancellationTest, ReductionsRunUntilTheirTokenIsCancelled) {
  CancellationSource source;
  const CancellationToken token = source.token();
  for (const bool is_cancelled : {false, true}) {
    if (is_cancelled) source.Cancel();
    for (const Reduction& reduction : Reductions<0>()) {
      for (const std::int64_t grain : {0, 1, 10000}) {
        std::atomic<int> calls{0};
        EXPECT_EQ(reduction.run(pool(), reduction.n,
                                {0, grain, Schedule::kAdaptive, token},
                                [&] { ++calls; }),
                  is_cancelled ? Status::kCancelled : Status::kCompleted)
            << reduction.name;
        EXPECT_EQ(calls > 0, !is_cancelled) << reduction.name;
      }
    }
  }
}

// At most four blocks are begun before the token says stop.
TEST_P(LoopCancellationTest, ACancellationStopsReductionsThatRun) {
  for (const Reduction& reduction : Reductions<1>()) {
    CancellationSource source;
    const CancellationToken token = source.token();
    std::atomic<int> calls{0};
    const auto at = [&] {
      if (calls.fetch_add(1) == 0) source.Cancel();
      EXPECT_TRUE(Eventually([&] { return token.IsCancelled(); }));
    };
    EXPECT_EQ(reduction.run(pool(), reduction.n,
                            {4, 1, Schedule::kDynamic, token}, at),
              Status::kCancelled)
        << reduction.name;
    EXPECT_GE(calls, 1) << reduction.name;
    EXPECT_LE(calls, 4 * reduction.calls_per_block) << reduction.name;
  }
}

// A block that has begun is not interrupted.
TEST_P(LoopCancellationTest, ADeadlineEndsReductionsThatRun) {
  FakeClock clock;
  for (const Reduction& reduction : Reductions<2>()) {
    const CancellationSource source(milliseconds(50));
    const CancellationToken token = source.token();
    std::atomic<int> calls{0};
    const auto at = [&] {
      calls.fetch_add(1);
      clock.Advance(milliseconds(50));
      EXPECT_TRUE(token.IsCancelled());
    };
    EXPECT_EQ(reduction.run(pool(), reduction.n,
                            {4, 1, Schedule::kDynamic, token}, at),
              Status::kDeadlineExceeded)
        << reduction.name;
    EXPECT_GE(calls, 1) << reduction.name;
    EXPECT_LE(calls, 4 * reduction.calls_per_block) << reduction.name;
  }
}

TEST_P(LoopCancellationTest, ExceptionsOfReductionsReachTheCaller) {
  for (const Reduction& reduction : Reductions<3>()) {
    std::atomic<int> calls{0};
    const auto at = [&] {
      if (calls.fetch_add(1) == 30) throw std::runtime_error("at");
    };
    EXPECT_THROW(reduction.run(pool(), reduction.n, {0, 1}, at),
                 std::runtime_error)
        << reduction.name;
  }
}

}  // namespace
}  // namespace ceres::parallel
