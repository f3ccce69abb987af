// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "ceres/parallel/future.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

// A thread that waits, and has fallen asleep over it, comes as soon as the wait
// is for something that it can run.
class LateWaits : public ::testing::Test {
 protected:
  void AwaitSleepers(int number) {
    const std::string state = "sleeping owners " + std::to_string(number);
    EXPECT_TRUE(Eventually([&] {
      return pool_->state().DebugString().find(state) != std::string::npos;
    }));
  }
  // Each task needs a thread of its own.
  static void PushTasksThatMeet(TaskGroup& group, Meeting& meeting,
                                int number) {
    for (int k = 0; k < number; ++k) {
      group.Run([&] { EXPECT_TRUE(meeting.Attend()); });
    }
  }

  std::unique_ptr<ThreadPool> pool_;
};

TEST_F(LateWaits, CallAThreadThatSleepsUntilTheTaskEnds) {
  pool_ = MakeEagerPool(1);
  std::atomic<bool> has_begun{false};
  Future<void> task = Async(*pool_, [&] {
    has_begun = true;
    AwaitSleepers(1);
    Meeting meeting(2);
    TaskGroup group(*pool_);
    PushTasksThatMeet(group, meeting, 2);
    group.Wait();
  });
  ASSERT_TRUE(Eventually([&] { return has_begun.load(); }));
  task.get();
}

TEST_F(LateWaits, CallAThreadThatSleepsForWhatTheAwaitedTaskHasStarted) {
  pool_ = MakeEagerPool(2);
  Meeting meeting(3);
  std::atomic<int> num_begun{0};
  std::atomic<bool> is_pushed{false};
  Future<void> inner = Async(*pool_, [&] {
    num_begun.fetch_add(1);
    EXPECT_TRUE(Eventually([&] { return num_begun == 2; }));
    AwaitSleepers(1);
    TaskGroup group(*pool_);
    PushTasksThatMeet(group, meeting, 3);
    is_pushed = true;
    group.Wait();
  });
  Future<void> outer = Async(*pool_, [&] {
    num_begun.fetch_add(1);
    EXPECT_TRUE(Eventually([&] { return is_pushed.load(); }));
    // The other one waits for its group by now.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    inner.get();
  });
  ASSERT_TRUE(Eventually([&] { return num_begun == 2; }));
  outer.get();
}

}  // namespace
}  // namespace ceres::parallel
