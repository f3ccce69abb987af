// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Randomly nested loops, reductions and forks on pools that are resized
// meanwhile, with bodies that throw now and then. Made to be run under
// ThreadSanitizer.
//
// VESTA_STRESS_LOOPS sets the number of loops (default: a bounded run).

#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

std::int64_t NumLoops() {
  const char* value = std::getenv("VESTA_STRESS_LOOPS");
  if (value != nullptr) return std::atoll(value);
  return kThreadSanitizer ? 20000 : 100000;
}

struct Thrown : std::runtime_error {
  Thrown() : std::runtime_error("thrown by a stress body") {}
};

// Bodies called by a thread other than the loop's owner: the test is about
// them.
std::atomic<std::int64_t> visits_by_helpers{0};

// Counts calls per index and the holders of participant ids.
class Ledger {
 public:
  Ledger(int n, int participants) : calls_(n), holders_(participants) {}

  template <typename F>
  void Visit(int participant, int i, const F& work) {
    ASSERT_GE(participant, 0);
    ASSERT_LT(participant, static_cast<int>(holders_.size()));
    EXPECT_EQ(holders_[participant].fetch_add(1, std::memory_order_relaxed), 0)
        << "id held twice";
    // Plain: an index visited twice at once is a race that a sanitizer sees.
    ++calls_[i];
    holders_[participant].fetch_sub(1, std::memory_order_relaxed);
    if (participant > 0)
      visits_by_helpers.fetch_add(1, std::memory_order_relaxed);
    work();
  }

  // all: every index exactly once, else at most once.
  void Check(bool all) const {
    for (const int calls : calls_) {
      if (all) {
        ASSERT_EQ(calls, 1);
      } else {
        ASSERT_LE(calls, 1);
      }
    }
  }

 private:
  std::vector<int> calls_;
  std::vector<std::atomic<int>> holders_;
};

class Stress {
 public:
  Stress(ThreadPool& pool, std::int64_t loops) : pool_(pool), left_(loops) {}

  // One random piece of work; nests until `depth` is used up.
  void Run(std::uint64_t seed, int depth) {
    if (left_.fetch_sub(1, std::memory_order_relaxed) <= 0) return;
    std::mt19937_64 random(seed);
    switch (random() % 8) {
      case 0:
        RunForks(&random, depth);
        break;
      case 1:
        RunReduction(&random, depth);
        break;
      default:
        RunFor(&random, depth);
    }
  }

  bool IsDone() const { return left_.load(std::memory_order_relaxed) <= 0; }
  std::int64_t num_thrown() const { return num_thrown_; }

 private:
  void Nest(std::uint64_t seed, int depth) {
    if (depth > 0 && seed % 4 == 0) Run(seed, depth - 1);
  }

  void RunFor(std::mt19937_64* random, int depth) {
    const int n = static_cast<int>((*random)() % 40);
    const int max_threads = 1 + static_cast<int>((*random)() % 9);
    const std::uint64_t seed = (*random)();
    const int bad = (*random)() % 16 == 0 ? static_cast<int>(seed % 40) : -1;
    Ledger ledger(n, max_threads);
    bool threw = false;
    try {
      ParallelFor(pool_, 0, n,
                  [&](Participant participant, int i) {
                    if (i == bad) throw Thrown();
                    ledger.Visit(participant, i, [&] {
                      Nest(seed + static_cast<unsigned>(i), depth);
                    });
                  },
                  {max_threads, 1 + static_cast<int>(seed % 3)});
    } catch (const Thrown&) {
      threw = true;
      num_thrown_.fetch_add(1, std::memory_order_relaxed);
    }
    EXPECT_EQ(threw, bad >= 0 && bad < n);
    ledger.Check(!threw);
  }

  void RunReduction(std::mt19937_64* random, int depth) {
    const int n = 1 + static_cast<int>((*random)() % 100);
    const std::uint64_t seed = (*random)();
    const std::int64_t sum = ParallelReduce(
        pool_, 0, n, std::int64_t{0},
        [&](BasicIndexRange<int> range) {
          Nest(seed + static_cast<unsigned>(range.begin), depth);
          std::int64_t partial = 0;
          for (int i = range.begin; i < range.end; ++i) partial += i;
          return partial;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; });
    EXPECT_EQ(sum, std::int64_t{n} * (n - 1) / 2);
  }

  void RunForks(std::mt19937_64* random, int depth) {
    const std::uint64_t seed = (*random)();
    const bool bad = seed % 16 == 1;
    int calls[3] = {0, 0, 0};
    bool threw = false;
    try {
      ParallelInvoke(
          pool_,
          [&] {
            ++calls[0];
            Nest(seed, depth);
          },
          [&] {
            ++calls[1];
            Nest(4 * seed, depth);
            if (bad) throw Thrown();
          },
          [&] {
            ++calls[2];
            Nest(seed + 1, depth);
          });
    } catch (const Thrown&) {
      threw = true;
      num_thrown_.fetch_add(1, std::memory_order_relaxed);
    }
    EXPECT_EQ(threw, bad);
    EXPECT_EQ(calls[0], 1);
    EXPECT_EQ(calls[1], 1);
    EXPECT_LE(calls[2], 1);
    EXPECT_TRUE(bad || calls[2] == 1);
  }

  ThreadPool& pool_;
  std::atomic<std::int64_t> left_;
  std::atomic<std::int64_t> num_thrown_{0};
};

// Several callers share the pool while another thread resizes it.
void RunStress(bool eager, std::int64_t loops) {
  const auto pool = eager ? MakeEagerPool(4) : std::make_unique<ThreadPool>(4);
  pool->SetRunningLimit(eager ? 4096 : 8);
  Stress stress(*pool, loops);
  std::vector<std::thread> callers;
  for (std::uint64_t caller = 0; caller < 2; ++caller) {
    callers.emplace_back([&stress, caller] {
      for (std::uint64_t seed = caller; !stress.IsDone(); seed += 2) {
        stress.Run(seed * 0x9E3779B97F4A7C15u, 4);
      }
    });
  }
  std::mt19937 random(1);
  while (!stress.IsDone()) {
    pool->Resize(static_cast<int>(random() % 9));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_GT(stress.num_thrown(), 0);
  const std::int64_t helped = visits_by_helpers.exchange(0);
  ::testing::Test::RecordProperty("visits_by_helpers", std::to_string(helped));
  EXPECT_TRUE(helped > 0 || !eager);
}

TEST(ParallelStress, EagerLoopsNestedAtRandomWhileThePoolIsResized) {
  RunStress(/*eager=*/true, NumLoops());
}

TEST(ParallelStress, AdaptiveLoopsNestedAtRandomWhileThePoolIsResized) {
  RunStress(/*eager=*/false, NumLoops());
}

TEST(ParallelStress, PoolsOfEverySizeAreMadeUsedAndDestroyed) {
  for (int round = 0; round < 300; ++round) {
    const auto pool = MakeEagerPool(round % 9);
    Stress stress(*pool, 30);
    for (unsigned seed = 1; !stress.IsDone(); ++seed) {
      stress.Run(static_cast<std::uint64_t>(round) * 1000 + seed, 3);
    }
  }
}

}  // namespace
}  // namespace ceres::parallel
