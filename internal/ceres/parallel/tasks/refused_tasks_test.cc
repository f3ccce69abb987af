// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tasks that nobody waits for, on executors that refuse their invitations, and
// tasks that a thread limit keeps from the thread that needs them.

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/executor.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class ThrowingHost final : public Executor {
 public:
  int MaxConcurrency() const override { return 4; }
  bool Invite(Invitation) override { throw std::runtime_error("no"); }
};

// Refuses every second invitation, and keeps the others for ever.
class ForgetfulHost final : public Executor {
 public:
  int MaxConcurrency() const override { return 4; }
  bool Invite(Invitation) override { return ++num_invitations_ % 2 == 0; }

 private:
  std::atomic<int> num_invitations_{0};
};

class RefusedTasks : public ::testing::TestWithParam<int> {
 protected:
  Executor& host() {
    switch (GetParam()) {
      case 0:
        return serial_;
      case 1:
        return refusing_;
      default:
        return throwing_;
    }
  }

 private:
  SerialExecutor serial_;
  RefusingHost refusing_;
  ThrowingHost throwing_;
};
INSTANTIATE_TEST_SUITE_P(Hosts, RefusedTasks, ::testing::Values(0, 1, 2));

TEST_P(RefusedTasks, RunWhenTheirFutureIsDropped) {
  int runs = 0;
  const auto closure = std::make_shared<int>(0);
  {
    const Future<void> dropped = Async(host(), [&runs, closure] { ++runs; });
    EXPECT_EQ(runs, 0);
  }
  EXPECT_EQ(runs, 1);
  Future<void> replaced = Async(host(), [&runs, closure] { ++runs; });
  replaced = Async(host(), [&runs, closure] { ++runs; });
  EXPECT_EQ(runs, 2);
  replaced = {};
  EXPECT_EQ(runs, 3);
  std::vector<Future<int>> many;
  for (int k = 0; k < 10; ++k) {
    many.push_back(Async(host(), [&runs, closure] { return ++runs; }));
  }
  many.clear();
  EXPECT_EQ(runs, 13);
  EXPECT_EQ(closure.use_count(), 1);
}

TEST_P(RefusedTasks, RunOnceAlsoIfTheyWereAwaited) {
  int runs = 0;
  {
    const Future<int> awaited = Async(host(), [&runs] { return ++runs; });
    awaited.Wait();
  }
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(Async(host(), [&runs] { return ++runs; }).Get(), 2);
  {
    Future<int> cancelled = Async(host(), [&runs] { return ++runs; });
    EXPECT_TRUE(cancelled.Cancel());
  }
  EXPECT_EQ(runs, 2);
}

TEST_P(RefusedTasks, RunWithTheirContinuations) {
  std::vector<int> order;
  const auto note = [&order](int k) { order.push_back(k); };
  {
    const Future<void> last =
        Async(host(), note, 1).Then([&] { note(2); }).Then([&] { note(3); });
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  {
    Future<void> first = Async(host(), note, 4);
    first.Wait();
    const Future<void> last = std::move(first).Then([&] { note(5); });
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST_P(RefusedTasks, DropWhatTheyThrow) {
  int runs = 0;
  {
    const Future<int> future = Async(host(), [&runs]() -> int {
      ++runs;
      throw std::runtime_error("dropped");
    });
  }
  EXPECT_EQ(runs, 1);
}

TEST_P(RefusedTasks, RunWithinDetach) {
  int runs = 0;
  const auto closure = std::make_shared<int>(0);
  for (int k = 1; k <= 5; ++k) {
    Detach(host(), [&runs, closure] { ++runs; });
    EXPECT_EQ(runs, k);
  }
  EXPECT_EQ(closure.use_count(), 1);
}

// Sanitizers make frames larger.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kDepth = 5000;
#else
constexpr int kDepth = 50000;
#endif

// Each of them starts the next one, in a frame above its own.
TEST_P(RefusedTasks, DetachEachOtherToAnyDepth) {
  int depth = 0;
  const std::function<void()> next = [&] {
    if (++depth < kDepth) Detach(host(), [&next] { next(); });
  };
  next();
  EXPECT_EQ(depth, kDepth);
}

TEST(TasksOfAForgetfulHost, RunIfTheyAreRefused) {
  ForgetfulHost host;
  int runs = 0;
  for (int k = 0; k < 10; ++k) Detach(host, [&runs] { ++runs; });
  EXPECT_EQ(runs, 5);
  // An awaited task runs in any case.
  for (int k = 0; k < 10; ++k) Async(host, [&runs] { ++runs; }).Get();
  EXPECT_EQ(runs, 15);
}

// --- Thread limits. ---

class ThreadLimit : public ::testing::TestWithParam<int> {
 protected:
  const std::unique_ptr<ThreadPool> pool_ = MakeEagerPool(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, ThreadLimit, ::testing::Values(0, 1, 3));

TaskGroupOptions OneThread() {
  TaskGroupOptions options;
  options.max_threads = 1;
  return options;
}

TEST_P(ThreadLimit, OfAGroupDoesNotKeepATaskFromHelpUntil) {
  TaskGroup group(*pool_, OneThread());
  std::atomic<bool> has_begun{false};
  std::atomic<int> done{0};
  group.Run([&] {
    has_begun = true;
    HelpUntil(*pool_, [&] { return done == 3; });
    done += 10;
  });
  for (int k = 0; k < 3; ++k) group.Run([&done] { ++done; });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(done, 13);
}

// Each waits for the next one, which comes when it waits.
TEST_P(ThreadLimit, OfAGroupAllowsWaitsThatNest) {
  TaskGroup group(*pool_, OneThread());
  std::atomic<int> begun{0};
  std::function<void(int)> nest = [&](int depth) {
    ++begun;
    if (depth == 20) return;
    group.Run([&nest, depth] { nest(depth + 1); });
    HelpUntil(*pool_, [&begun, depth] { return begun > depth + 1; });
  };
  group.Run([&nest] { nest(0); });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(begun, 21);
}

TEST_P(ThreadLimit, OfAGroupHoldsForOtherThreads) {
  TaskGroup group(*pool_, OneThread());
  std::atomic<int> at_work{0};
  std::atomic<int> most{0};
  std::atomic<int> done{0};
  for (int k = 0; k < 30; ++k) {
    group.Run([&, k] {
      const int now = ++at_work;
      if (now > most) most = now;
      const int before = done;
      --at_work;
      if (k % 5 == 0 && done < 25) {
        HelpUntil(
            *pool_, [&] { return done > before || done >= 25; },
            std::chrono::milliseconds(20));
      }
      ++done;
    });
  }
  group.Wait();
  EXPECT_EQ(done, 30);
  EXPECT_EQ(most, 1);
}

TEST_P(ThreadLimit, OfAGroupDoesNotKeepATaskFromAWaitWithinItsWork) {
  TaskGroup group(*pool_, OneThread());
  std::atomic<bool> done{false};
  group.Run([&] {
    // The thread of the group sleeps in the wait if a worker runs the future.
    Async(*pool_, [&] {
      HelpUntil(*pool_, [&] { return done.load(); });
    }).Get();
  });
  group.Run([&done] { done = true; });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
}

TEST_P(ThreadLimit, OfAGraphDoesNotKeepATaskFromHelpUntil) {
  TaskGraph graph;
  std::atomic<bool> done{false};
  graph.Add([&] { HelpUntil(*pool_, [&] { return done.load(); }); });
  graph.Add([&done] { done = true; });
  TaskGraphOptions options;
  options.max_threads = 1;
  EXPECT_EQ(graph.Run(*pool_, options), Status::kCompleted);
}

}  // namespace
}  // namespace ceres::parallel
