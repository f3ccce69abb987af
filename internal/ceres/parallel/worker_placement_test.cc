// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "ceres/parallel/cpu_mask.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_test_util.h"
#include "ceres/parallel/pool_state.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

#if defined(__linux__)

namespace ceres::parallel::detail {
namespace {

// Of the workers that a loop woke, when its body runs.
struct Placement {
  std::optional<CpuMask> mask;
  bool is_on_cpu_of_owner = false;
};

// Lets all workers go to sleep, then wakes them all by a loop.
std::vector<Placement> PlaceAll(ThreadPool& pool) {
  EXPECT_TRUE(Eventually([&] { return pool.state().NumAwake() == 0; }));
  const int threads = pool.NumWorkers() + 1;
  Meeting meeting(threads);
  std::mutex mutex;
  std::vector<Placement> placements;
  const int cpu_of_owner = CurrentCpu();
  ParallelFor(pool, 0, threads, [&](int participant, int /*index*/) {
    EXPECT_TRUE(meeting.Attend());
    if (participant == 0) return;
    const std::lock_guard<std::mutex> lock(mutex);
    placements.push_back(
        {CpuMask::Of(ThisThread()), CurrentCpu() == cpu_of_owner});
  });
  return placements;
}

TEST(WorkerPlacement, WokenWorkersAreElsewhereAndHaveTheirMasksBack) {
  PoolState::ExpectAstrayWakes();
  const auto mask = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mask);
  ThreadPool pool(1);
  pool.SetSharing(Sharing::kAlways);
  pool.SetRunningLimit(2);
  constexpr int kRounds = 30;
  int elsewhere = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (const Placement& placement : PlaceAll(pool)) {
      EXPECT_EQ(placement.mask, mask);
      if (!placement.is_on_cpu_of_owner) ++elsewhere;
    }
  }
  // The system may move either of them at any time, but not always.
  if (mask->Count() > 1) {
    EXPECT_GT(elsewhere, kRounds / 2);
  }
}

TEST(WorkerPlacement, WhereThereAreMoreWorkersThanCpusMasksStayAsTheyAre) {
  PoolState::ExpectAstrayWakes();
  const auto mask = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mask);
  ThreadPool pool(NumCpus() + 3);
  pool.SetSharing(Sharing::kAlways);
  for (const int limit : {NumCpus(), NumCpus() + 4}) {
    pool.SetRunningLimit(limit);
    for (int round = 0; round < 10; ++round) {
      std::atomic<int> changed{0};
      ParallelFor(pool, 0, 64, [&](int /*index*/) {
        if (!(CpuMask::Of(ThisThread()) == mask)) ++changed;
      });
      EXPECT_EQ(changed, 0);
      EXPECT_TRUE(Eventually([&] { return pool.state().NumAwake() == 0; }));
    }
  }
}

}  // namespace
}  // namespace ceres::parallel::detail

#endif
