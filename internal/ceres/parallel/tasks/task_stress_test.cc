// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Random programs of futures, groups, detached tasks, loops and conditions on
// pools that are resized meanwhile. Made to be run under sanitizers.
//
// VESTA_STRESS_TASKS sets the number of tasks (default: a bounded run).

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

std::int64_t NumTasks() {
  const char* value = std::getenv("VESTA_STRESS_TASKS");
  if (value != nullptr) return std::atoll(value);
  return kThreadSanitizer ? 30000 : 100000;
}

struct Thrown : std::runtime_error {
  Thrown() : std::runtime_error("thrown by a stress task") {}
};

// Every piece of work counts itself when it is made and when it has run (or was
// dropped, where that may happen): at the end both agree.
class TaskStress {
 public:
  TaskStress(ThreadPool& pool, std::int64_t tasks)
      : pool_(pool), left_(tasks) {}

  bool IsDone() const { return left_.load(std::memory_order_relaxed) <= 0; }
  std::int64_t num_thrown() const { return num_thrown_; }
  std::int64_t num_made() const { return num_made_; }
  std::int64_t num_ended() const { return num_ended_; }

  // One random piece of work, which nests; returns a value that depends on the
  // seed alone.
  std::uint64_t Run(std::uint64_t seed, int depth) {
    std::mt19937_64 random(seed);
    const std::uint64_t kind = random() % 8;
    if (depth == 0 || left_.fetch_sub(1, std::memory_order_relaxed) <= 0)
      return seed;
    switch (kind) {
      case 0:
        RunGroup(&random, depth);
        break;
      case 1:
        RunLoop(&random, depth);
        break;
      case 2:
        RunDetached(&random, depth);
        break;
      case 3:
        RunDropped(&random, depth);
        break;
      default:
        RunFutures(&random, depth);
    }
    return seed;
  }

 private:
  // Ends when the closure that holds it is destroyed, run or not.
  std::shared_ptr<void> Count() {
    num_made_.fetch_add(1, std::memory_order_relaxed);
    return {this, [](TaskStress* self) {
              self->num_ended_.fetch_add(1, std::memory_order_relaxed);
            }};
  }

  void RunFutures(std::mt19937_64* random, int depth) {
    const int n = 1 + static_cast<int>((*random)() % 6);
    std::vector<std::pair<std::uint64_t, Future<std::uint64_t>>> futures;
    for (int i = 0; i < n; ++i) {
      const std::uint64_t seed = (*random)();
      const Priority priority =
          seed % 3 == 0 ? Priority::kHigh : Priority::kNormal;
      futures.emplace_back(seed, Async(pool_, TaskOptions{priority},
                                       [this, seed, depth, count = Count()] {
                                         const std::uint64_t result =
                                             Run(seed, depth - 1);
                                         if (seed % 16 == 1) throw Thrown();
                                         return result;
                                       }));
    }
    for (int i = 0; i < n; ++i) {
      auto& [seed, future] = futures[(*random)() % 2 == 0 ? i : n - 1 - i];
      if (!future.valid()) continue;
      if (seed % 8 == 2 && future.Cancel()) {
        EXPECT_THROW(future.get(), TaskCancelled);
        continue;
      }
      if (seed % 8 == 3) {
        while (future.wait_for(std::chrono::microseconds(20)) !=
               std::future_status::ready) {
        }
      }
      try {
        EXPECT_EQ(future.get(), seed);
        EXPECT_NE(seed % 16, 1u);
      } catch (const Thrown&) {
        num_thrown_.fetch_add(1, std::memory_order_relaxed);
        EXPECT_EQ(seed % 16, 1u);
      }
    }
  }

  void RunGroup(std::mt19937_64* random, int depth) {
    TaskGroupOptions options;
    options.max_threads = static_cast<int>((*random)() % 4);
    TaskGroup group(pool_, options);
    const int n = static_cast<int>((*random)() % 20);
    const std::uint64_t bad = (*random)() % 64;
    std::vector<int> calls(2 * n, 0);  // Plain: a sanitizer sees a double run.
    for (int i = 0; i < n; ++i) {
      const std::uint64_t seed = (*random)();
      group.Run(
          [this, seed, depth, i, n, bad, &calls, &group, count = Count()] {
            ++calls[i];
            if (seed % 2 == 0)
              group.Run([&calls, i, n, count] { ++calls[n + i]; });
            if (seed % 4 == 0) Run(seed, depth - 1);
            if (bad == static_cast<std::uint64_t>(i)) throw Thrown();
            if (bad == 20u + static_cast<std::uint64_t>(i)) group.Cancel();
          });
    }
    try {
      const Status status = group.Wait();
      EXPECT_FALSE(bad < static_cast<std::uint64_t>(n));
      if (status == Status::kCompleted) {
        for (int i = 0; i < n; ++i) EXPECT_EQ(calls[i], 1);
      }
    } catch (const Thrown&) {
      num_thrown_.fetch_add(1, std::memory_order_relaxed);
      EXPECT_LT(bad, static_cast<std::uint64_t>(n));
    }
    for (const int count : calls) EXPECT_LE(count, 1);
  }

  void RunLoop(std::mt19937_64* random, int depth) {
    const std::uint64_t seed = (*random)();
    std::vector<int> calls(30, 0);
    ParallelFor(pool_, 0, 30, [&](int i) {
      ++calls[i];
      if (i % 10 == 0) Run(seed + static_cast<unsigned>(i), depth - 1);
    });
    for (const int count : calls) EXPECT_EQ(count, 1);
    int forks[2] = {0, 0};
    ParallelInvoke(
        pool_, [&] { ++forks[0]; },
        [&] {
          ++forks[1];
          Run(seed, depth - 1);
        });
    EXPECT_EQ(forks[0] + forks[1], 2);
  }

  void RunDetached(std::mt19937_64* random, int depth) {
    const std::uint64_t seed = (*random)();
    std::atomic<int> left{3};
    for (int i = 0; i < 3; ++i) {
      Detach(pool_, [this, seed, depth, i, &left, count = Count()] {
        if (i == 0) Run(seed, depth - 1);
        left.fetch_sub(1, std::memory_order_acq_rel);
      });
    }
    HelpUntil(pool_, [&] { return left.load(std::memory_order_acquire) == 0; });
  }

  void RunDropped(std::mt19937_64* random, int depth) {
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t seed = (*random)();
      static_cast<void>(Async(pool_, [this, seed, depth, count = Count()] {
        Run(seed, depth - 1);
        if (seed % 4 == 0) throw Thrown();
        return std::make_unique<int>(1);
      }));
    }
  }

  ThreadPool& pool_;
  std::atomic<std::int64_t> left_;
  std::atomic<std::int64_t> num_thrown_{0};
  std::atomic<std::int64_t> num_made_{0};
  std::atomic<std::int64_t> num_ended_{0};
};

void RunStress(bool eager) {
  const auto pool = eager ? MakeEagerPool(4) : std::make_unique<ThreadPool>(4);
  TaskStress stress(*pool, NumTasks());
  std::vector<std::thread> callers;
  for (std::uint64_t caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&stress, caller] {
      for (std::uint64_t seed = caller; !stress.IsDone(); seed += 3) {
        stress.Run(seed * 0x9E3779B97F4A7C15u, 6);
      }
    });
  }
  std::mt19937 random(1);
  while (!stress.IsDone()) {
    pool->Resize(static_cast<int>(random() % 6));
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  for (std::thread& caller : callers) caller.join();
  pool->WaitForAll();
  EXPECT_GT(stress.num_thrown(), 0);
  EXPECT_GT(stress.num_made(), 0);
  EXPECT_EQ(stress.num_ended(), stress.num_made());
}

TEST(TaskStress, EagerTasksNestedAtRandomWhileThePoolIsResized) {
  RunStress(/*eager=*/true);
}

TEST(TaskStress, TasksNestedAtRandomWhileThePoolIsResized) {
  RunStress(/*eager=*/false);
}

TEST(TaskStress, PoolsOfEverySizeAreMadeUsedAndDestroyed) {
  for (unsigned round = 0; round < 300; ++round) {
    auto pool = MakeEagerPool(static_cast<int>(round % 6));
    TaskStress stress(*pool, 60);
    for (unsigned seed = 1; !stress.IsDone(); ++seed) {
      stress.Run(std::uint64_t{round} * 1000 + seed, 4);
    }
    pool.reset();
    ASSERT_EQ(stress.num_ended(), stress.num_made());
  }
}

}  // namespace
}  // namespace ceres::parallel
