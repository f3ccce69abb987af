// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ceres/base/platform.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/pool/cpu_mask.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_LINUX)

namespace ceres::parallel::detail {
namespace {

// The placement of a worker that a loop woke, when it has come.
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
  ParallelFor(pool, 0, threads, [&](Participant participant, int /*index*/) {
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
    GTEST_SKIP() << "There is one cpu only: "
                 << pool.state().NumCpuExclusions();
  }
  // When it began, and when it was woken: at most times, since it may come by
  // itself, too.
  EXPECT_GT(pool.state().NumCpuExclusions(), kRounds / 2);
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
  EXPECT_EQ(pool.state().NumCpuExclusions(), 0);
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
  EXPECT_EQ(pool.state().NumCpuExclusions(), 0);
}

// How many workers a pinned pool has in a test: one more than cpus, so that the
// count goes round.
int NumPinned(const CpuMask& mask) { return std::min(mask.Count(), 16) + 1; }

std::unique_ptr<ThreadPool> MakePinnedPool(int num_workers) {
  ThreadPoolOptions options;
  options.num_workers = num_workers;
  options.pin = true;
  auto pool = std::make_unique<ThreadPool>(options);
  pool->SetRunningLimit(num_workers + 1);
  return pool;
}

// Tasks that keep each worker until all have come, and note where it may run.
class CpuSurvey {
 public:
  explicit CpuSurvey(ThreadPool& pool)
      : pool_(pool), cpus_(static_cast<std::size_t>(pool.NumWorkers())) {}

  void DetachTasks() {
    for (std::size_t k = 0; k < cpus_.size(); ++k) {
      Detach(pool_, [this] { Note(); });
    }
  }
  // By worker.
  const std::vector<std::vector<int>>& Cpus() {
    EXPECT_TRUE(Eventually([this] { return left_ == NumTasks(); }));
    return cpus_;
  }

 private:
  int NumTasks() const { return static_cast<int>(cpus_.size()); }
  void Note() {
    const auto mask = CpuMask::Of(ThisThread());
    auto& cpus = cpus_[static_cast<std::size_t>(this_thread::WorkerIndex())];
    for (int k = 0; mask && k < mask->Count(); ++k) cpus.push_back(mask->At(k));
    arrived_.fetch_add(1);
    EXPECT_TRUE(Eventually([this] { return arrived_ == NumTasks(); }));
    left_.fetch_add(1);
  }

  ThreadPool& pool_;
  std::vector<std::vector<int>> cpus_;
  std::atomic<int> arrived_{0};
  std::atomic<int> left_{0};
};

void ExpectOneCpuEach(const std::vector<std::vector<int>>& cpus,
                      const CpuMask& of_process) {
  for (int k = 0; k < static_cast<int>(cpus.size()); ++k) {
    const int expected = of_process.At((k + 1) % of_process.Count());
    EXPECT_EQ(cpus[static_cast<std::size_t>(k)], std::vector<int>{expected})
        << "worker " << k;
  }
}

// Cpus counted from 0: the first one is left to the thread that uses the pool.
TEST(WorkerPlacement, PinnedWorkerKHasCpuKPlusOneOfTheMask) {
  const auto mask = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mask);
  if (mask->Count() < 2) GTEST_SKIP() << "There is one cpu only.";
  const auto pool = MakePinnedPool(NumPinned(*mask));
  CpuSurvey survey(*pool);
  survey.DetachTasks();
  ExpectOneCpuEach(survey.Cpus(), *mask);
}

// A new thread has the mask of the one that starts it.
TEST(WorkerPlacement, PinnedWorkersMayBeStartedByAPinnedWorker) {
  const auto mask = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mask);
  if (mask->Count() < 2) GTEST_SKIP() << "There is one cpu only.";
  const auto pool = MakePinnedPool(NumPinned(*mask));
  CpuSurvey survey(*pool);
  std::atomic<bool> done{false};
  Detach(*pool, [&] {
    survey.DetachTasks();
    done = true;
  });
  ASSERT_TRUE(Eventually([&] { return done.load(); }));
  ExpectOneCpuEach(survey.Cpus(), *mask);
}

}  // namespace
}  // namespace ceres::parallel::detail

#endif
