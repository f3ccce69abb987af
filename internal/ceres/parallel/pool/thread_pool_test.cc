// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/platform.h"
#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_POSIX)
#include <sys/wait.h>
#include <unistd.h>
#endif

#if defined(CERES_SYSTEM_LINUX)
#include <sys/syscall.h>
#endif

namespace ceres::parallel {
namespace {

// Runs until all workers have been seen at work at once.
void MeetAll(ThreadPool& pool) {
  const int threads = pool.NumWorkers() + 1;
  Meeting meeting(threads);
  std::atomic<bool> ok{true};
  ParallelFor(pool, 0, threads, [&](int) {
    if (!meeting.Attend()) ok = false;
  });
  EXPECT_TRUE(ok);
}

// Counts the threads that are inside at the same moment.
class Crowd {
 public:
  void Enter() {
    const int now = inside_.fetch_add(1) + 1;
    int seen = most_.load();
    while (seen < now && !most_.compare_exchange_weak(seen, now)) {
    }
  }
  void Leave() { inside_.fetch_sub(1); }
  int most() const { return most_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

// Images, each with a loop over its rows, whose times differ. The rows are what
// counts: a thread that waits for an image's rows does not run.
class Images {
 public:
  explicit Images(ThreadPool& pool) : pool_(pool) {}

  void Process(int image) {
    Crowd crowd;
    ParallelFor(pool_, 0, 5, [&](int row) {
      rows_.Enter();
      crowd.Enter();
      const bool is_long = (image + row) % 5 == 0;
      std::this_thread::sleep_for(
          std::chrono::microseconds(is_long ? 700 : 50));
      // Early rows wait for company, but not for long: it need not come.
      for (int wait = 0; wait < 10 && !is_shared_ && crowd.most() < 2; ++wait) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      if (crowd.most() >= 2) is_shared_ = true;
      crowd.Leave();
      rows_.Leave();
    });
  }

  // The most rows at once, of all images.
  int most() const { return rows_.most(); }
  // Whether two threads have been at the rows of one image.
  bool is_shared() const { return is_shared_; }

 private:
  ThreadPool& pool_;
  Crowd rows_;
  std::atomic<bool> is_shared_{false};
};

void ProcessInLoop(ThreadPool& pool, Images& images) {
  ParallelFor(pool, 0, 10, [&](int image) { images.Process(image); });
}

void ProcessInGroup(ThreadPool& pool, Images& images) {
  TaskGroup group(pool);
  for (int image = 0; image < 10; ++image) {
    group.Run([&images, image] { images.Process(image); });
  }
  group.Wait();
}

constexpr void (*kWaysToProcess[])(ThreadPool&, Images&) = {&ProcessInLoop,
                                                            &ProcessInGroup};

int SumOfLoop(ThreadPool& pool) {
  std::atomic<int> sum{0};
  ParallelFor(pool, 0, 100, [&](int i) { sum.fetch_add(i); });
  return sum;
}

#if defined(CERES_SYSTEM_LINUX)
int NumThreadsOfProcess() {
  // ThreadSanitizer starts one of its own with the first thread.
  long first = 0;
  std::thread([&] { first = syscall(SYS_gettid); }).join();
  // A joined thread may still be on its way out, and counted.
  const std::string directory = "/proc/self/task/" + std::to_string(first);
  EXPECT_TRUE(Eventually([&] { return access(directory.c_str(), F_OK) != 0; }));
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("Threads:", 0) == 0) return std::stoi(line.substr(8));
  }
  return -1;
}

TEST(ThreadPool, StartsNoThreadBeforeALoopWantsOne) {
  const int before = NumThreadsOfProcess();
  // Without real time: a loop that is interrupted for milliseconds wants one.
  const FakeClock clock{std::chrono::nanoseconds(40)};
  ThreadPool pool(8);
  pool.SetRunningLimit(9);
  // Nobody could help with such loops. (A loop of unknown cost may be long, and
  // wants a thread. A short loop wants one that keeps watch.)
  for (int run = 0; run < 1000; ++run) {
    ParallelFor(pool, 0, 0, [](int) {});
    ParallelFor(pool, 0, 1, [](int) {});
    ParallelFor(pool, 0, 10, [](int) {}, {/*max_threads=*/1});
    ParallelFor(pool, 0, 10, [](int) {}, {/*max_threads=*/0, /*grain=*/10});
  }
  EXPECT_EQ(NumThreadsOfProcess(), before);
}

TEST(ThreadPool, DestructionLeavesNoThread) {
  const int before = NumThreadsOfProcess();
  {
    const auto pool = MakeEagerPool(5);
    MeetAll(*pool);
    EXPECT_EQ(NumThreadsOfProcess(), before + 5);
  }
  EXPECT_TRUE(Eventually([&] { return NumThreadsOfProcess() == before; }));
}

TEST(ThreadPool, ShrinkingEndsThreads) {
  const int before = NumThreadsOfProcess();
  const auto pool = MakeEagerPool(6);
  MeetAll(*pool);
  pool->Resize(2);
  EXPECT_TRUE(Eventually([&] { return NumThreadsOfProcess() == before + 2; }));
  MeetAll(*pool);
}

TEST(ThreadPool, RunsNoMoreThreadsThanItsLimit) {
  const int before = NumThreadsOfProcess();
  ThreadPool pool(16);
  pool.SetRunningLimit(3);
  Crowd crowd;
  for (int run = 0; run < 3; ++run) {
    ParallelFor(pool, 0, 400, [&](int) {
      crowd.Enter();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      crowd.Leave();
    });
  }
  EXPECT_LE(crowd.most(), 3);
  EXPECT_LE(NumThreadsOfProcess(), before + 2);
}
#endif

// Two workers and the caller, however deep the loops are.
TEST(ThreadPool, NestedLoopsRunOnItsThreadsAndTheCallerOnly) {
  const auto pool = MakeEagerPool(2);
  for (const auto process : kWaysToProcess) {
    Images images(*pool);
    for (int run = 0; run < 5 || (run < 100 && !images.is_shared()); ++run) {
      process(*pool, images);
    }
    EXPECT_LE(images.most(), 3);
    EXPECT_TRUE(images.is_shared());
  }
}

TEST(ThreadPool, NestedLoopsRunInTheCallerIfThereAreNoWorkers) {
  ThreadPool pool(0);
  for (const auto process : kWaysToProcess) {
    Images images(pool);
    process(pool, images);
    EXPECT_EQ(images.most(), 1);
  }
}

TEST(ThreadPool, NestedLoopsRunNoMoreThreadsThanItsLimit) {
  ThreadPool pool(8);
  pool.SetSharing(Sharing::kAlways);
  for (const int limit : {2, 3, 4}) {
    pool.SetRunningLimit(limit);
    for (const auto process : kWaysToProcess) {
      Images images(pool);
      for (int run = 0; run < 5 || (run < 100 && !images.is_shared()); ++run) {
        process(pool, images);
      }
      EXPECT_LE(images.most(), limit);
      EXPECT_TRUE(images.is_shared());
    }
  }
}

TEST(ThreadPool, RejectsNegativeSizes) {
  EXPECT_THROW(ThreadPool(-1), std::invalid_argument);
  ThreadPool pool(1);
  EXPECT_THROW(pool.Resize(-2), std::invalid_argument);
  EXPECT_EQ(pool.NumWorkers(), 1);
}

TEST(ThreadPool, ReportsItsSize) {
  ThreadPool pool(3);
  EXPECT_EQ(pool.NumWorkers(), 3);
  EXPECT_EQ(pool.MaxConcurrency(), 4);
  pool.Resize(0);
  EXPECT_EQ(pool.MaxConcurrency(), 1);
  pool.EnsureMinimumWorkers(2);
  EXPECT_EQ(pool.NumWorkers(), 2);
  pool.EnsureMinimumWorkers(1);
  EXPECT_EQ(pool.NumWorkers(), 2);
}

TEST(ThreadPool, DefaultPoolHasAThreadForEachCpuAndOneForTasks) {
  EXPECT_EQ(ThreadPool::Default().MaxConcurrency(),
            std::max(2, AvailableConcurrency()));
  EXPECT_EQ(&ThreadPool::Default(), &ThreadPool::Default());
}

TEST(ThreadPool, ResizeInAWorkerIsRefused) {
  const auto pool = MakeEagerPool(1);
  std::atomic<int> refused{0};
  std::atomic<int> arrived{0};
  ParallelFor(*pool, 0, 2, [&](Participant participant, int) {
    arrived.fetch_add(1);
    EXPECT_TRUE(Eventually([&] { return arrived == 2; }));
    EXPECT_EQ(pool->IsWorkerThread(), participant == 1);
    if (participant == 0) return;
    try {
      pool->Resize(4);
    } catch (const std::logic_error&) {
      refused.fetch_add(1);
    }
  });
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(pool->NumWorkers(), 1);
  EXPECT_FALSE(pool->IsWorkerThread());
}

TEST(ThreadPool, ResizeInABodyThatTheCallerRunsIsAllowed) {
  const auto pool = MakeEagerPool(3);
  for (int run = 0; run < 50; ++run) {
    ParallelFor(*pool, 0, 20, [&](Participant participant, int i) {
      if (participant == 0) pool->Resize((run + i) % 4);
    });
  }
  pool->Resize(3);
  MeetAll(*pool);
}

TEST(ThreadPool, DoesNotHangOrCrashWhenDestroyedAtAnyMoment) {
  for (int run = 0; run < 200; ++run) {
    const auto pool = MakeEagerPool(run % 5);
    // The workers are being started, at work, spinning, parking or parked.
    for (int loop = 0; loop < run % 3; ++loop) SumOfLoop(*pool);
    if (run % 7 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(10 * (run % 13)));
    }
  }
}

TEST(ThreadPool, MayBeDestroyedWhileASpinningWorkerIsAwake) {
  for (int run = 0; run < 100; ++run) {
    ThreadPool pool(1);
    pool.SetRunningLimit(2);
    pool.SetSharing(Sharing::kAlways);
    EXPECT_EQ(SumOfLoop(pool), 4950);
  }
}

TEST(ThreadPool, TakesInvitationsOfOthers) {
  const auto pool = MakeEagerPool(1);
  EXPECT_TRUE(pool->Invite(Invitation()));
  ThreadPool none(0);
  EXPECT_FALSE(none.Invite(Invitation()));
  Executor& executor = *pool;
  std::atomic<int> sum{0};
  ParallelFor(executor, 0, 100, [&](int i) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    sum.fetch_add(i);
  });
  EXPECT_EQ(sum, 4950);
}

#if defined(CERES_SYSTEM_POSIX)
TEST(ThreadPool, StartsAfreshInAForkedChild) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  const auto pool = MakeEagerPool(3);
  MeetAll(*pool);
  for (int run = 0; run < 5; ++run) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      MeetAll(*pool);
      const bool ok =
          SumOfLoop(*pool) == 4950 && !::testing::Test::HasFailure();
      pool->Resize(1);
      MeetAll(*pool);
      _exit(ok ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    MeetAll(*pool);
  }
}

TEST(ThreadPool, AChildForkedWhileOthersUseThePoolCanUseItToo) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  const auto pool = MakeEagerPool(2);
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop) SumOfLoop(*pool);
  });
  for (int run = 0; run < 20; ++run) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(SumOfLoop(*pool) == 4950 ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop = true;
  user.join();
}
#endif

}  // namespace
}  // namespace ceres::parallel
