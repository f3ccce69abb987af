// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops that turn out heavier than their prediction, which is a time.

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "ceres/parallel/future.h"
#include "ceres/parallel/loops/heavy_loops_test_util.h"
#include "ceres/parallel/parallel_for.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

void Take15Microseconds(int) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::microseconds(15);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Not all workers are called for a loop of 120 us.
TEST(HeavyLoops, MuchHeavierThanPredictedAreJoinedByAllWorkers) {
  constexpr int kWorkers = 7;
  const auto loop = [](ThreadPool& pool, const Work& work) {
    ParallelFor(pool, 0, kWorkers + 1, [&](int i) { work(i); });
  };
  const auto known = MakePool(kWorkers);
  for (int run = 0; run < 20; ++run) loop(*known, Take15Microseconds);
  // The workers of the new pool have not been started.
  const auto fresh = MakePool(kWorkers);
  for (ThreadPool* const pool : {fresh.get(), known.get()}) {
    Company company(kWorkers + 1);
    loop(*pool, [&](int) { company.Enter(); });
    EXPECT_TRUE(company.complete()) << company.size();
  }
}

// The thread that waits for a task sleeps when the loop in it begins. A worker
// that joins late wakes it. Fails by chance if all workers joined before.
TEST(HeavyLoops, MuchHeavierThanPredictedAreJoinedByAThreadThatWaits) {
  constexpr int kWorkers = 7;
  const auto pool = MakePool(kWorkers);
  const auto loop = [&](const Work& work) {
    ParallelFor(*pool, 0, kWorkers + 1, [&](int i) { work(i); });
  };
  for (int run = 0; run < 20; ++run) loop(Take15Microseconds);
  Company company(kWorkers + 1);
  std::atomic<bool> has_begun{false};
  Future<void> task = Async(*pool, [&] {
    has_begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    loop([&](int) { company.Enter(); });
  });
  EXPECT_TRUE(Eventually([&] { return has_begun.load(); }));
  task.Get();
  EXPECT_TRUE(company.complete());
}

}  // namespace
}  // namespace ceres::parallel
