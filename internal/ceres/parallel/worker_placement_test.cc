// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

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

// Of a worker that a loop woke, when it has come.
struct Placement {
  bool is_on_cpu_of_owner = false;
  std::optional<CpuMask> mask;
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
    const bool is_on_cpu_of_owner = CurrentCpu() == cpu_of_owner;
    EXPECT_TRUE(meeting.Attend());
    if (participant == 0) return;
    const std::lock_guard<std::mutex> lock(mutex);
    placements.push_back({is_on_cpu_of_owner, CpuMask::Of(ThisThread())});
  });
  return placements;
}

TEST(WorkerPlacement, WorkersAreSentAwayAndHaveTheirMasksBack) {
  const auto mask = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mask);
  ThreadPool pool(1);
  pool.SetSharing(Sharing::kAlways);
  pool.SetRunningLimit(2);
  constexpr int kRounds = 30;
  int elsewhere = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Placement> placements = PlaceAll(pool);
    ASSERT_EQ(placements.size(), 1);
    EXPECT_EQ(placements[0].mask, mask);
    if (!placements[0].is_on_cpu_of_owner) ++elsewhere;
  }
  if (NumCpus() < 2 || mask->Count() < 2) {
    GTEST_SKIP() << "There is one cpu only: " << pool.state().NumSentAway();
  }
  // When it began, and when it was woken: at most times, since it may come by
  // itself, too.
  EXPECT_GT(pool.state().NumSentAway(), kRounds / 2);
  // The system may move the owner at any time, but not always.
  EXPECT_GT(elsewhere, 0);
}

TEST(WorkerPlacement, WhereThreadsOutnumberCpusNobodyIsSentAway) {
  ThreadPool pool(1);
  pool.SetSharing(Sharing::kAlways);
  pool.SetRunningLimit(NumCpus() + 1);
  for (int round = 0; round < 10; ++round) {
    ASSERT_EQ(PlaceAll(pool).size(), 1);
  }
  EXPECT_EQ(pool.state().NumSentAway(), 0);
}

TEST(WorkerPlacement, PinnedWorkersStayWhereTheyAre) {
  ThreadPoolOptions options;
  options.num_workers = 1;
  options.pin = true;
  ThreadPool pool(options);
  pool.SetSharing(Sharing::kAlways);
  pool.SetRunningLimit(2);
  std::optional<CpuMask> pinned;
  for (int round = 0; round < 10; ++round) {
    const std::vector<Placement> placements = PlaceAll(pool);
    ASSERT_EQ(placements.size(), 1);
    ASSERT_TRUE(placements[0].mask);
    EXPECT_EQ(placements[0].mask->Count(), 1);
    if (pinned) {
      EXPECT_EQ(placements[0].mask, pinned);
    }
    pinned = placements[0].mask;
  }
  EXPECT_EQ(pool.state().NumSentAway(), 0);
}

}  // namespace
}  // namespace ceres::parallel::detail

#endif
