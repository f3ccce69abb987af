// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parking/searcher.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

// Tasks that were added a moment ago are left to the thread that has added them
// (task_queue.h), and tasks of a group in a frame belong to the work that made
// the group (task_wait.cc).

namespace ceres::parallel {
namespace {

using std::chrono::microseconds;

// Steps of a group whose handle the test knows, on a pool without workers: only
// the threads of the test look for tasks.
class FreshTasks : public ::testing::Test {
 protected:
  FreshTasks() {
    group_.Run([this] { handle_ = detail::RegionOfThisThread(); });
    group_.Wait();
  }

  // Looks once in another thread, as one that waits for the group.
  bool HelpsInAnotherThread(bool is_last_look = false) {
    bool helps = false;
    std::thread([&] {
      detail::Searcher searcher;
      searcher.ancestor = handle_;
      searcher.tasks.is_last_look = is_last_look;
      helps = pool_.state().HelpWithin(&searcher);
      has_deferred_ = searcher.tasks.has_deferred;
    }).join();
    return helps;
  }

  FakeClock clock_;
  ThreadPool pool_{0};
  TaskGroup group_{pool_};
  detail::RegionHandle handle_ = 0;
  bool has_deferred_ = false;
  int runs_ = 0;
};

TEST_F(FreshTasks, AreLeftAloneUntilTheyHaveBeenThereForAMicrosecond) {
  group_.Run([this] { ++runs_; });
  EXPECT_FALSE(HelpsInAnotherThread());
  EXPECT_TRUE(has_deferred_);
  EXPECT_EQ(runs_, 0);
  clock_.Advance(microseconds(2));
  EXPECT_TRUE(HelpsInAnotherThread());
  EXPECT_FALSE(has_deferred_);
  EXPECT_EQ(runs_, 1);
  group_.Wait();
}

TEST_F(FreshTasks, AreTakenByAThreadThatIsAboutToSleep) {
  group_.Run([this] { ++runs_; });
  EXPECT_TRUE(HelpsInAnotherThread(/*is_last_look=*/true));
  EXPECT_EQ(runs_, 1);
  group_.Wait();
}

// However often its thread takes and adds others meanwhile.
TEST_F(FreshTasks, DoNotHideAnOlderOne) {
  group_.Run([this] { ++runs_; });
  int others = 0;
  for (int k = 0; k < 10; ++k) {
    EXPECT_FALSE(HelpsInAnotherThread());
    TaskGroup other(pool_);
    other.Run([&] { ++others; });
    other.Wait();
    clock_.Advance(std::chrono::nanoseconds(50));
  }
  EXPECT_EQ(others, 10);
  clock_.Advance(microseconds(1));
  EXPECT_TRUE(HelpsInAnotherThread());
  EXPECT_EQ(runs_, 1);
  group_.Wait();
}

// A chain: its tasks were never there for long.
TEST_F(FreshTasks, AreFreshAgainWhenAllHaveBeenTaken) {
  for (int k = 0; k < 10; ++k) {
    group_.Run([this] { ++runs_; });
    EXPECT_FALSE(HelpsInAnotherThread());
    EXPECT_TRUE(has_deferred_);
    group_.Wait();
    clock_.Advance(microseconds(2));
  }
  EXPECT_EQ(runs_, 10);
}

// The thread that adds a task is busy until another thread has run it.
void RunWhereItsThreadDoesNot(ThreadPool& pool, int tasks) {
  std::atomic<int> runs{0};
  TaskGroup group(pool);
  for (int k = 0; k < tasks; ++k) group.Run([&] { ++runs; });
  EXPECT_TRUE(Eventually([&] { return runs == tasks; }));
  group.Wait();
}

TEST(FreshTasksOnAPool, AreTakenByWorkersWhileTheirThreadIsBusy) {
  for (const int workers : {1, 2, 4}) {
    const std::unique_ptr<ThreadPool> pool = MakeEagerPool(workers);
    for (const int tasks : {1, 2, 100}) RunWhereItsThreadDoesNot(*pool, tasks);
  }
}

TEST(FreshTasksOnAPool, OfATaskAreTakenByWorkersWhileItIsBusy) {
  const std::unique_ptr<ThreadPool> pool = MakeEagerPool(2);
  for (const int tasks : {1, 2, 100}) {
    Async(*pool, [&] { RunWhereItsThreadDoesNot(*pool, tasks); }).Get();
  }
}

// The only worker is in the task, so the thread that waits must come.
TEST(GroupInAFrame, IsHelpedByAThreadThatWaitsForTheTaskBeforeTheTaskWaits) {
  ThreadPool pool(1);
  for (const int tasks : {1, 2, 100}) {
    std::atomic<bool> has_begun{false};
    Future<void> task = Async(pool, [&] {
      has_begun = true;
      RunWhereItsThreadDoesNot(pool, tasks);
    });
    ASSERT_TRUE(Eventually([&] { return has_begun.load(); }));
    task.Get();
  }
}

// Whose tasks nobody awaits: it may live longer than the task.
TEST(GroupOnTheHeap, IsNotRunByAThreadThatWaitsForTheTask) {
  ThreadPool pool(1);
  std::unique_ptr<TaskGroup> group;
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  std::atomic<int> runs{0};
  Future<void> task = Async(pool, [&] {
    group = std::make_unique<TaskGroup>(pool);
    for (int k = 0; k < 10; ++k) group->Run([&] { ++runs; });
    has_begun = true;
    EXPECT_TRUE(Eventually([&] { return may_end.load(); }));
    EXPECT_EQ(runs, 0);
  });
  ASSERT_TRUE(Eventually([&] { return has_begun.load(); }));
  std::thread releaser([&] {
    // The thread that waits is asleep by then, having found no task.
    EXPECT_TRUE(Eventually([&] {
      return pool.state().DebugString().find("sleeping owners 1") !=
             std::string::npos;
    }));
    may_end = true;
  });
  task.Get();
  releaser.join();
  group->Wait();
  EXPECT_EQ(runs, 10);
}

}  // namespace
}  // namespace ceres::parallel
