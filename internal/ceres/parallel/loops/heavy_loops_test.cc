// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops with heavy indices are shared from their first run on, and whatever
// earlier runs at their place in the source were like.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/loops/heavy_loops_test_util.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

// 0, 1, ..., n - 1.
std::vector<int> Numbers(int n) {
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// For loops that add up.
int WorkAndCount(const Work& work, int i) {
  work(i);
  return 1;
}

using Loop = void (*)(ThreadPool& pool, int n, const Work& work);

// Loops over n indices, each of which calls work(i) at least once. kSite makes
// places in the source: a place remembers what its loops were like.
template <int kSite>
std::vector<std::pair<std::string, Loop>> AllLoops() {
  const Loop adaptive = [](ThreadPool& pool, int n, const Work& work) {
    ParallelFor(pool, 0, n, [&](int i) { work(i); });
  };
  const Loop function = [](ThreadPool& pool, int n, const Work& work) {
    ParallelFor(pool, 0, n, work);
  };
  const Loop ranges = [](ThreadPool& pool, int n, const Work& work) {
    ParallelFor(pool, 0, n, [&](IndexRange range) {
      for (auto i = range.begin; i < range.end; ++i) work(static_cast<int>(i));
    });
  };
  const Loop blocks = [](ThreadPool& pool, int n, const Work& work) {
    ParallelFor(pool, 0, n, [&](int i) { work(i); }, {0, 1, Schedule::kStatic});
  };
  const Loop dynamic = [](ThreadPool& pool, int n, const Work& work) {
    ParallelFor(pool, 0, n, [&](int i) { work(i); },
                {0, 1, Schedule::kDynamic});
  };
  const Loop with_token = [](ThreadPool& pool, int n, const Work& work) {
    const CancellationToken token = CancellationSource().token();
    LoopOptions options;
    options.token = token;
    ParallelFor(
        pool, 0, n, [&](int i) { work(i); }, options);
  };
  const Loop by_cost = [](ThreadPool& pool, int n, const Work& work) {
    ParallelForByCost(
        pool, 0, n, [](int i) { return i; }, [&](int i) { work(i); });
  };
  const Loop for_each = [](ThreadPool& pool, int n, const Work& work) {
    ParallelFor(pool, Numbers(n), [&](int i) { work(i); });
  };
  const Loop map_reduce = [](ThreadPool& pool, int n, const Work& work) {
    const auto map = [&](int i) { return WorkAndCount(work, i); };
    EXPECT_EQ(ParallelReduce(pool, 0, n, 0, map, std::plus<>()), n);
  };
  const Loop sum = [](ThreadPool& pool, int n, const Work& work) {
    const auto project = [&](int i) { return WorkAndCount(work, i); };
    EXPECT_EQ(ParallelSum(pool, Numbers(n), project), n);
  };
  const Loop async = [](ThreadPool& pool, int n, const Work& work) {
    Async(pool, [&] {
      ParallelFor(pool, 0, n, [&](int i) { work(i); });
    }).Get();
  };
  return {
      {"Adaptive", adaptive}, {"Function", function}, {"Ranges", ranges},
      {"Static", blocks},     {"Dynamic", dynamic},   {"WithToken", with_token},
      {"ByCost", by_cost},    {"ForEach", for_each},  {"MapReduce", map_reduce},
      {"Sum", sum},           {"Async", async}};
}

template <typename NumWorkers>
class HeavyLoopsOfWorkers : public ::testing::Test {};
using NumbersOfWorkers = ::testing::Types<std::integral_constant<int, 1>,
                                          std::integral_constant<int, 3>,
                                          std::integral_constant<int, 7>>;
TYPED_TEST_SUITE(HeavyLoopsOfWorkers, NumbersOfWorkers);

// As many indices as threads, each of which waits for all others.
TYPED_TEST(HeavyLoopsOfWorkers, AreSharedInTheirFirstRun) {
  for (const auto& [name, loop] : AllLoops<TypeParam::value>()) {
    const auto pool = MakePool(TypeParam::value);
    Company company(TypeParam::value + 1);
    loop(*pool, TypeParam::value + 1, [&](int) { company.Enter(); });
    EXPECT_TRUE(company.complete()) << name << " " << company.size();
  }
}

void CallFunctions(int calls) {
  volatile int x = 0;
  const std::function<void()> increment = [&x] { x = x + 1; };
  for (int k = 0; k < calls; ++k) increment();
}

// Short, but two indices take twice what a plain loop may, which is counted in
// calls of functions.
void WorkALittle(int) { CallFunctions(static_cast<int>(detail::kPlainCalls)); }

// Indices of plain loops.
void WorkVeryLittle(int) { CallFunctions(20); }

TYPED_TEST(HeavyLoopsOfWorkers, AreSharedAfterShortRuns) {
  // Under the sanitizer 100 short indices take half a millisecond.
  constexpr int kRuns = kThreadSanitizer ? 300 : 600;
  constexpr int kThreads = TypeParam::value + 1;
  for (const auto& [name, loop] : AllLoops<100 + kThreads>()) {
    const auto pool = MakePool(kThreads - 1);
    for (const int n : {kThreads, 100}) {
      for (int run = 0; run < kRuns; ++run) loop(*pool, n, WorkALittle);
      // The thread that waits for a future may sleep until the loop has ended.
      Company company(name == "Async" ? kThreads - 1 : kThreads);
      loop(*pool, n, [&](int) { company.Enter(); });
      EXPECT_TRUE(company.complete())
          << name << " " << n << " " << company.size();
    }
  }
}

// While a plain loop waits in an index, other threads take the indices that its
// thread has not claimed.
TYPED_TEST(HeavyLoopsOfWorkers, AfterPlainOnesAreSharedInTheirFirstRun) {
  constexpr int kThreads = TypeParam::value + 1;
  for (const auto& [name, loop] : AllLoops<600 + kThreads>()) {
    const auto pool = MakePool(kThreads - 1);
    for (const int n : {kThreads, 4 * kThreads}) {
      for (int run = 0; run < 1500; ++run) loop(*pool, n, WorkVeryLittle);
      // The thread that waits for a future may sleep until the loop has ended.
      Company company(name == "Async" ? kThreads - 1 : kThreads);
      loop(*pool, n, [&](int) { company.Enter(); });
      EXPECT_TRUE(company.complete())
          << name << " " << n << " " << company.size();
    }
  }
}

// The first indices are short as ever.
TEST(HeavyLoops, AfterPlainOnesAreSharedFromTheirFirstHeavyIndexOn) {
  const auto pool = MakePool(1);
  for (const int first_heavy : {0, 1, 2, 3, 4, 15}) {
    const auto loop = [&](const Work& work) {
      ParallelFor(*pool, 0, 20, [&](int i) { work(i); });
    };
    for (int run = 0; run < 1500; ++run) loop(WorkVeryLittle);
    Company company(2);
    loop([&](int i) {
      if (i >= first_heavy) company.Enter();
    });
    EXPECT_TRUE(company.complete()) << first_heavy;
  }
}

// The inner loops run inline. The outer one is shared.
TEST(HeavyLoops, WithinPlainOnesAreShared) {
  const auto pool = MakePool(1);
  const auto nest = [&](const Work& work) {
    ParallelFor(*pool, 0, 3, [&](int) {
      ParallelFor(*pool, 0, 2, [&](int i) { work(i); });
    });
  };
  for (int run = 0; run < 3000; ++run) nest(WorkVeryLittle);
  Company company(2);
  nest([&](int) { company.Enter(); });
  EXPECT_TRUE(company.complete());
}

// A place in the source may have run plain loops of other hosts.
template <int kSite, typename Host>
void ExpectSharedAfterPlainLoopsOf(Host& other) {
  const auto pool = MakePool(1);
  const auto loop = [](auto& host, const Work& work) {
    ParallelFor(host, 0, 4, [&](int i) { work(i); });
  };
  for (int run = 0; run < 1500; ++run) {
    loop(static_cast<Executor&>(other), WorkVeryLittle);
  }
  Company company(2);
  loop(static_cast<Executor&>(*pool), [&](int) { company.Enter(); });
  EXPECT_TRUE(company.complete());
}
TEST(HeavyLoops, AfterPlainOnesOfOtherHostsAreShared) {
  ThreadPool none(0);
  ExpectSharedAfterPlainLoopsOf<700>(none);
  SerialExecutor caller;
  ExpectSharedAfterPlainLoopsOf<701>(caller);
  QueueHost host(std::chrono::microseconds(0));
  ExpectSharedAfterPlainLoopsOf<702>(host);
}

TEST(HeavyLoops, AfterPlainOnesAreSharedWhenAPoolGetsItsFirstWorker) {
  ThreadPool pool(0);
  pool.SetRunningLimit(2);
  const auto loop = [&](const Work& work) {
    ParallelFor(pool, 0, 4, [&](int i) { work(i); });
  };
  for (int run = 0; run < 1500; ++run) loop(WorkVeryLittle);
  pool.Resize(1);
  Company company(2);
  loop([&](int) { company.Enter(); });
  EXPECT_TRUE(company.complete());
}

// An executor of the user does not look for late loops. The caller reads the
// clock after each of them, and times the next one.
TEST(HeavyLoops, OnAnExecutorAfterPlainOnesAreSharedFromTheSecondRunOn) {
  QueueHost host(std::chrono::microseconds(0));
  const auto loop = [&](const Work& work) {
    ParallelFor(host, 0, 64, [&](int i) { work(i); });
  };
  for (int run = 0; run < 1500; ++run) loop(WorkVeryLittle);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto sleep = [&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
  };
  for (int run = 0; run < 4; ++run) loop(sleep);
  EXPECT_GT(threads.size(), 1u);
}

TEST(HeavyLoops, WithLightIndicesBeforeAreShared) {
  for (const auto& [name, loop] : AllLoops<200>()) {
    const auto pool = MakePool(1);
    for (int run = 0; run < 1000; ++run) loop(*pool, 20, WorkALittle);
    // The thread that waits for a future may sleep until the loop has ended.
    Company company(name == "Async" ? 1 : 2);
    loop(*pool, 20, [&](int i) {
      if (i > 0) company.Enter();
    });
    EXPECT_TRUE(company.complete()) << name;
  }
}

// A long vector at a place that has seen short ones: the number of elements is
// known before the first block is begun.
TEST(HeavyLoops, LongReductionsAfterShortOnesAreShared) {
  for (const int workers : {1, 3, 7}) {
    const auto pool = MakePool(workers);
    Company company(2);
    const auto add = [&](double a, double b) {
      if (b < 0.0) company.Enter();
      return a + b;
    };
    const auto reduce = [&](const std::vector<double>& v) {
      return ParallelReduce(*pool, v, 0.0, add);
    };
    const std::vector<double> few(1000, 1.0);
    for (int run = 0; run < 5000; ++run) EXPECT_EQ(reduce(few), 1000.0);
    std::vector<double> many(std::size_t{1} << 22, 1.0);
    for (std::size_t i = 1; i < many.size(); i += 10000) many[i] = -1.0;
    reduce(many);
    EXPECT_TRUE(company.complete()) << workers;
  }
}

// While the only worker that may run is at work, nobody can look for late
// loops. `allow_more` lets another worker run beside two callers and the busy
// worker. Four threads are at work then, if the loop counts its caller: it does
// so from the start where slow machines have taught it that it is long.
template <int kSite>
void ExpectSharedOnceMoreMayRun(ThreadPool& pool,
                                const std::function<void()>& allow_more) {
  std::atomic<int> at_work{0};
  std::atomic<bool> may_end{false};
  std::thread other_caller([&] {
    ParallelFor(pool, 0, 2, [&](int) {
      at_work.fetch_add(1);
      EXPECT_TRUE(Eventually([&] { return may_end.load(); }));
    });
  });
  EXPECT_TRUE(Eventually([&] { return at_work == 2; }));
  const auto loop = [&](const Work& work) {
    ParallelFor(pool, 0, 2, [&](int i) { work(i); });
  };
  for (int run = 0; run < 1000; ++run) loop(WorkALittle);
  allow_more();
  Company company(2);
  loop([&](int) { company.Enter(); });
  EXPECT_TRUE(company.complete());
  may_end = true;
  other_caller.join();
}

TEST(HeavyLoops, AreSharedOnceThePoolHasGrown) {
  ThreadPool pool(1);
  pool.SetRunningLimit(4);
  ExpectSharedOnceMoreMayRun<400>(pool, [&] { pool.Resize(2); });
}
TEST(HeavyLoops, AreSharedOnceTheLimitOfThreadsIsHigher) {
  ThreadPool pool(2);
  pool.SetRunningLimit(2);
  ExpectSharedOnceMoreMayRun<401>(pool, [&] { pool.SetRunningLimit(4); });
}

TEST(HeavyLoops, WithinIndicesThatRunAloneAreShared) {
  const auto pool = MakePool(1);
  const auto inner = [&](const Work& work) {
    ParallelFor(*pool, 0, 2, [&](int i) { work(i); });
  };
  for (int run = 0; run < 1000; ++run) {
    ParallelFor(*pool, 0, 2, [&](int) { inner(WorkALittle); });
  }
  Company company(2);
  ParallelFor(*pool, 0, 2, [&](int i) {
    if (i == 0) inner([&](int) { company.Enter(); });
  });
  EXPECT_TRUE(company.complete());
}

TEST(HeavyLoops, OnAnExecutorAreSharedInTheirFirstRun) {
  for (const Schedule schedule :
       {Schedule::kAdaptive, Schedule::kStatic, Schedule::kDynamic}) {
    QueueHost host(std::chrono::microseconds(0));
    Company company(3);
    const auto loop = [&](auto site) {
      ParallelFor(host, 0, 3,
                  [&, site](int) {
                    static_cast<void>(site);
                    company.Enter();
                  },
                  {0, 1, schedule});
    };
    if (schedule == Schedule::kAdaptive) loop(1);
    if (schedule == Schedule::kStatic) loop(1L);
    if (schedule == Schedule::kDynamic) loop('1');
    EXPECT_TRUE(company.complete());
  }
}

template <int kSite>
void ExpectExceptionsOfHeavyIndicesAfter(const Work& short_work) {
  for (const auto& [name, loop] : AllLoops<kSite>()) {
    const auto pool = MakePool(3);
    for (int run = 0; run < 1000; ++run) loop(*pool, 8, short_work);
    for (int run = 0; run < 20; ++run) {
      EXPECT_THROW(
          loop(*pool, 8,
               [&](int i) {
                 std::this_thread::sleep_for(std::chrono::milliseconds(i % 3));
                 if (i == 5) throw std::runtime_error("five");
               }),
          std::runtime_error)
          << name;
    }
    std::vector<std::atomic<int>> calls(8);
    loop(*pool, 8, [&](int i) { calls[i].fetch_add(1); });
    for (const auto& count : calls) EXPECT_EQ(count, 1) << name;
  }
}
TEST(HeavyLoops, ExceptionsOfHeavyIndicesAfterShortRunsReachTheCaller) {
  ExpectExceptionsOfHeavyIndicesAfter<300>(WorkALittle);
}
TEST(HeavyLoops, ExceptionsOfHeavyIndicesAfterPlainLoopsReachTheCaller) {
  ExpectExceptionsOfHeavyIndicesAfter<301>(WorkVeryLittle);
}

// Indices that are late now and then, in loops that are plain otherwise.
TEST(HeavyLoops, PlainLoopsThatAreStoppedVisitEveryIndexOnce) {
  constexpr int kRuns = kThreadSanitizer ? 3000 : 20000;
  constexpr int kLengths[] = {1, 2, 4, 5, 12, 30};
  const auto pool = MakePool(3);
  const auto run_loops = [&](unsigned seed) {
    std::vector<std::atomic<int>> calls(30);
    for (int run = 0; run < kRuns; ++run) {
      seed = seed * 1664525u + 1013904223u;
      const int n = kLengths[(seed >> 16) % 6];
      const int late =
          (seed >> 20) % 50 == 0 ? static_cast<int>(seed >> 26) : -1;
      const bool fails = (seed >> 12) % 4 == 0 && late >= 0 && late < n;
      const auto work = [&](int i) {
        calls[i].fetch_add(1, std::memory_order_relaxed);
        if (i != late) return;
        std::this_thread::sleep_for(std::chrono::microseconds(100 + run % 400));
        if (fails) throw std::runtime_error("late");
      };
      bool failed = false;
      try {
        ParallelFor(*pool, 0, n, work);
      } catch (const std::runtime_error&) {
        failed = true;
      }
      ASSERT_EQ(failed, fails);
      for (int i = 0; i < n; ++i) {
        const int count = calls[i].exchange(0, std::memory_order_relaxed);
        ASSERT_TRUE(count == 1 || (fails && count == 0 && i != late)) << i;
      }
    }
  };
  std::thread other(run_loops, 2);
  run_loops(1);
  other.join();
}

}  // namespace
}  // namespace ceres::parallel
