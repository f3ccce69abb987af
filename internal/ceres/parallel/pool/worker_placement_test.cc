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
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/sync/cpu_mask.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_LINUX)
#include <chrono>
#include <thread>

#include "ceres/parallel/testing/changing_masks.h"

namespace ceres::parallel::detail {
namespace {

// Lets all workers go to sleep, then wakes them all by a loop, and returns
// their masks.
std::vector<std::optional<CpuMask>> MasksOfWoken(ThreadPool& pool) {
  EXPECT_TRUE(Eventually([&] { return pool.state().NumAwake() == 0; }));
  const int threads = pool.NumWorkers() + 1;
  Meeting meeting(threads);
  std::mutex mutex;
  std::vector<std::optional<CpuMask>> masks;
  ParallelFor(pool, 0, threads, [&](Participant participant, int /*index*/) {
    EXPECT_TRUE(meeting.Attend());
    if (participant == 0) return;
    const std::lock_guard<std::mutex> lock(mutex);
    masks.push_back(CpuMask::Of(ThisThread()));
  });
  return masks;
}

// While workers are woken, all threads are restricted to one CPU after the
// other, and freed again.
TEST(WorkerPlacement, MasksThatAreChangedWhileWorkersWakeStay) {
  const std::vector<int> all = CpusOf(0);
  if (all.size() < 2) GTEST_SKIP() << "There is one cpu only.";
  ThreadPool pool(3);
  pool.SetSharing(Sharing::kAlways);
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop) {
      std::vector<Future<void>> futures;
      futures.reserve(4);
      for (int k = 0; k < 4; ++k) futures.push_back(Async(pool, [] {}));
      ParallelFor(pool, 0, 8, [](int) {});
      std::this_thread::sleep_for(std::chrono::microseconds(150));
    }
  });
  int wider = 0;
  for (std::size_t round = 0; round < 100; ++round) {
    const std::vector<int> one = {all[round % all.size()]};
    SetCpusOfAll(one);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (const pid_t thread : ThreadsOfProcess()) {
      const std::vector<int> cpus = CpusOf(thread);
      if (!cpus.empty() && cpus != one) ++wider;
    }
    SetCpusOfAll(all);
  }
  EXPECT_EQ(wider, 0);
  stop = true;
  user.join();
}

TEST(WorkerPlacement, WorkersHaveTheMaskOfTheThreadThatStartsThem) {
  const auto mask = CpuMask::Of(ThisThread());
  ASSERT_TRUE(mask);
  ThreadPool pool(1);
  pool.SetSharing(Sharing::kAlways);
  pool.SetRunningLimit(2);
  for (int round = 0; round < 10; ++round) {
    const auto masks = MasksOfWoken(pool);
    ASSERT_EQ(masks.size(), 1);
    EXPECT_EQ(masks[0], mask);
  }
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
    const auto masks = MasksOfWoken(pool);
    ASSERT_EQ(masks.size(), 1);
    ASSERT_TRUE(masks[0]);
    EXPECT_EQ(masks[0]->Count(), 1);
    if (pinned) {
      EXPECT_EQ(masks[0], pinned);
    }
    pinned = masks[0];
  }
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
