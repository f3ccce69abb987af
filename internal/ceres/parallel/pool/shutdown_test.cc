// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Pools and groups that are destroyed while their tasks sleep or throw.

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/platform.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_LINUX)
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#endif

namespace ceres::parallel {
namespace {

// Destroys a pool in a thread of its own.
class Destruction {
 public:
  explicit Destruction(std::unique_ptr<ThreadPool> pool)
      : state_(pool->state()),
        thread_([this, pool = std::move(pool)]() mutable {
          pool.reset();
          has_ended_ = true;
        }) {}
  ~Destruction() { thread_.join(); }
  Destruction(const Destruction&) = delete;
  Destruction& operator=(const Destruction&) = delete;

  // Whether it comes to wait for tasks. Not to be called when they may end.
  bool Waits() {
    return Eventually([this] {
      return state_.DebugString().find("waiting for conditions 1") !=
             std::string::npos;
    });
  }
  bool has_ended() const { return has_ended_; }

 private:
  detail::PoolState& state_;
  std::atomic<bool> has_ended_{false};
  std::thread thread_;
};

std::string MessageOf(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  }
}

TEST(Shutdown, WhatTasksThrowMeanwhileGoesToTheHandler) {
  constexpr int kQueued = 5;
  for (const int workers : {1, 3}) {
    std::atomic<int> thrown{0};
    std::atomic<int> handled{0};
    ThreadPoolOptions options;
    options.num_workers = workers;
    options.exception_handler = [&](const std::exception_ptr& error) {
      EXPECT_EQ(MessageOf(error), "detached");
      handled.fetch_add(1);
    };
    auto pool = std::make_unique<ThreadPool>(options);
    std::atomic<bool> has_begun{false};
    std::atomic<bool> may_throw{false};
    Detach(*pool, [&] {
      has_begun = true;
      EXPECT_TRUE(Eventually([&] { return may_throw.load(); }));
      thrown.fetch_add(1);
      throw std::runtime_error("detached");
    });
    ASSERT_TRUE(Eventually([&] { return has_begun.load(); }));
    for (int k = 0; k < kQueued; ++k) {
      Detach(*pool, [&] {
        thrown.fetch_add(1);
        throw std::runtime_error("detached");
      });
    }
    {
      Destruction destruction(std::move(pool));
      EXPECT_TRUE(destruction.Waits());
      EXPECT_FALSE(destruction.has_ended());
      may_throw = true;
    }
    EXPECT_EQ(thrown, kQueued + 1);
    EXPECT_EQ(handled, kQueued + 1);
  }
}

TEST(Shutdown, OfAPoolWithoutWorkersHandsWhatTasksThrowToTheHandler) {
  std::atomic<int> handled{0};
  {
    ThreadPool pool(0);
    pool.SetExceptionHandler([&](const std::exception_ptr& error) {
      EXPECT_EQ(MessageOf(error), "detached");
      handled.fetch_add(1);
    });
    for (int k = 0; k < 3; ++k) {
      Detach(pool, [] { throw std::runtime_error("detached"); });
    }
    EXPECT_EQ(handled, 0);
  }
  EXPECT_EQ(handled, 3);
}

// Starts tasks when its thread ends.
struct StartsTasksAtItsEnd {
  ~StartsTasksAtItsEnd() {
    if (pool == nullptr) return;
    Async(*pool, [ended = ended] { ++*ended; }).Get();
    for (int k = 0; k < 3; ++k) Detach(*pool, [ended = ended] { ++*ended; });
  }
  ThreadPool* pool = nullptr;
  std::atomic<int>* ended = nullptr;
};
thread_local StartsTasksAtItsEnd starts_tasks_at_its_end;

TEST(Shutdown, RunsTasksThatThreadLocalObjectsOfWorkersStart) {
  constexpr int kWorkers = 3;
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ended{0};
    auto pool = MakeEagerPool(kWorkers);
    Meeting meeting(kWorkers);
    std::atomic<int> left{0};
    for (int k = 0; k < kWorkers; ++k) {
      Detach(*pool, [&, pool = pool.get()] {
        starts_tasks_at_its_end.pool = pool;
        starts_tasks_at_its_end.ended = &ended;
        EXPECT_TRUE(meeting.Attend());
        ++left;
      });
    }
    ASSERT_TRUE(Eventually([&] { return left == kWorkers; }));
    pool.reset();
    EXPECT_EQ(ended, 4 * kWorkers);
  }
}

// A thread that destroys a pool in work of another host waits for its tasks.
template <typename Host>
void ExpectAPoolDestroyedInATaskRunsItsTasks(Host& host) {
  auto pool = std::make_unique<ThreadPool>(1);
  std::atomic<int> ended{0};
  for (int k = 0; k < 100; ++k) Detach(*pool, [&] { ++ended; });
  Async(host, [&, pool = std::move(pool)]() mutable {
    pool.reset();
    EXPECT_EQ(ended, 100);
  }).Get();
}

TEST(Shutdown, InsideATaskOfAnotherHostRunsWhatIsQueued) {
  ThreadPool other(1);
  ExpectAPoolDestroyedInATaskRunsItsTasks(other);
  QueueHost queue(std::chrono::microseconds(0));
  ExpectAPoolDestroyedInATaskRunsItsTasks(queue);
  SerialExecutor serial;
  std::thread([&] { ExpectAPoolDestroyedInATaskRunsItsTasks(serial); }).join();
}

// Executors other than pools have no handler.
TEST(ExecutorDeathTest, WhatADetachedTaskThrowsEndsTheProgram) {
  EXPECT_DEATH(
      {
        InlineHost host;
        Detach(host, [] { throw std::runtime_error("nobody cares"); });
      },
      "An exception that nobody waits for, thrown by a task: nobody cares");
}

TEST(ExecutorDeathTest, WhatNoWaitOfAGroupHasSeenEndsTheProgram) {
  EXPECT_DEATH(
      {
        SerialExecutor host;
        TaskGroup group(host);
        group.Run([] { throw std::runtime_error("nobody waits"); });
      },
      "An exception that nobody waits for, thrown by a task: nobody waits");
}

TEST(ExecutorDeathTest, WhatAWaitOfAGroupHasSeenDoesNot) {
  SerialExecutor host;
  TaskGroup group(host);
  group.Run([] { throw std::runtime_error("task"); });
  EXPECT_THROW(group.Wait(), std::runtime_error);
}

#if defined(CERES_SYSTEM_LINUX)

// Tells whether a thread sleeps.
class SleepObserver {
 public:
  // In the thread that is going to sleep.
  void Begin() { thread_ = syscall(SYS_gettid); }

  // Whether it comes to sleep for good: a lock on its way there is short.
  bool SeesSleep() const {
    int looks = 0;
    return Eventually([&] {
      looks = IsAsleep() ? looks + 1 : 0;
      return looks == 20;
    });
  }

 private:
  bool IsAsleep() const {
    const long thread = thread_;
    if (thread == 0) return false;
    std::ifstream status("/proc/self/task/" + std::to_string(thread) +
                         "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("State:", 0) == 0) {
        return line.find('S', 6) != std::string::npos;
      }
    }
    return false;
  }

  std::atomic<long> thread_{0};
};

// The host of the task that a task of the destroyed pool waits for.
enum class Fulfiller { kSamePool, kOtherPool, kOutsideThread };

class ShutdownWithSleepers : public ::testing::TestWithParam<Fulfiller> {
 protected:
  ~ShutdownWithSleepers() override {
    if (outside_.joinable()) outside_.join();
  }

  // Calls `use` with the host that the awaited task is started on.
  template <typename Use>
  void WithHost(const Use& use) {
    switch (GetParam()) {
      case Fulfiller::kSamePool:
        use(*pool_);
        break;
      case Fulfiller::kOtherPool:
        use(*other_pool_);
        break;
      case Fulfiller::kOutsideThread:
        use(host_);
        // Before anybody waits, who would run it then.
        outside_ = std::thread([invitations = host_.TakeAll()] {
          for (const Invitation& invitation : invitations) invitation.Accept();
        });
        break;
    }
    ASSERT_TRUE(Eventually([this] { return has_begun_.load(); }));
  }
  int AwaitedTask() {
    has_begun_ = true;
    EXPECT_TRUE(Eventually([this] { return may_end_.load(); }));
    return 7;
  }

  // Destroys the pool while its task `sleep` sleeps until the awaited task,
  // which is at work, has ended.
  template <typename Sleep>
  void DestroyWhileATaskIsIn(const Sleep& sleep) {
    SleepObserver sleeper;
    std::atomic<int> ended{0};
    Detach(*pool_, [&] {
      sleeper.Begin();
      sleep();
      ended.fetch_add(1);
    });
    EXPECT_TRUE(sleeper.SeesSleep());
    for (int k = 0; k < 10; ++k) Detach(*pool_, [&] { ended.fetch_add(1); });
    {
      Destruction destruction(std::move(pool_));
      EXPECT_TRUE(destruction.Waits());
      EXPECT_FALSE(destruction.has_ended());
      may_end_ = true;
    }
    EXPECT_EQ(ended, 11);
  }

  std::unique_ptr<ThreadPool> pool_ = MakeEagerPool(2);

 private:
  std::unique_ptr<ThreadPool> other_pool_ = MakeEagerPool(1);
  KeepingHost host_;
  std::thread outside_;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> may_end_{false};
};
INSTANTIATE_TEST_SUITE_P(
    Fulfillers, ShutdownWithSleepers,
    ::testing::Values(Fulfiller::kSamePool, Fulfiller::kOtherPool,
                      Fulfiller::kOutsideThread),
    [](const ::testing::TestParamInfo<Fulfiller>& info) -> std::string {
      switch (info.param) {
        case Fulfiller::kSamePool:
          return "SamePool";
        case Fulfiller::kOtherPool:
          return "OtherPool";
        case Fulfiller::kOutsideThread:
          return "OutsideThread";
      }
      return "";
    });

TEST_P(ShutdownWithSleepers, WaitsForATaskThatSleepsInAFuture) {
  Future<int> future;
  WithHost([&](auto& host) {
    future = Async(host, [this] { return AwaitedTask(); });
  });
  int value = 0;
  DestroyWhileATaskIsIn([&] { value = future.Get(); });
  EXPECT_EQ(value, 7);
}

TEST_P(ShutdownWithSleepers, WaitsForATaskThatSleepsInATaskGroup) {
  std::unique_ptr<TaskGroup> group;
  std::atomic<int> value{0};
  WithHost([&](auto& host) {
    group = std::make_unique<TaskGroup>(host);
    group->Run([this, &value] { value = AwaitedTask(); });
  });
  Status status = Status::kCancelled;
  // The group ends before its host.
  DestroyWhileATaskIsIn([&] {
    status = group->Wait();
    group.reset();
  });
  EXPECT_EQ(status, Status::kCompleted);
  EXPECT_EQ(value, 7);
}

// The other way round: the pool runs what a thread outside waits for.
TEST(Shutdown, WakesAThreadThatSleepsInAFuture) {
  auto pool = MakeEagerPool(1);
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  Future<int> future = Async(*pool, [&] {
    has_begun = true;
    EXPECT_TRUE(Eventually([&] { return may_end.load(); }));
    return 7;
  });
  ASSERT_TRUE(Eventually([&] { return has_begun.load(); }));
  SleepObserver sleeper;
  int value = 0;
  std::thread waiter([&] {
    sleeper.Begin();
    value = future.Get();
  });
  EXPECT_TRUE(sleeper.SeesSleep());
  {
    Destruction destruction(std::move(pool));
    EXPECT_TRUE(destruction.Waits());
    EXPECT_FALSE(destruction.has_ended());
    may_end = true;
  }
  waiter.join();
  EXPECT_EQ(value, 7);
}

// With other threads of the same priority, one that yields would keep the cpu
// from a thread that is on its way out of the pool.
TEST(Shutdown, SleepsUntilThreadsThatWaitedForFuturesHaveLeft) {
  auto pool = std::make_unique<ThreadPool>(0);
  detail::PoolState& state = pool->state();
  state.ExpectToLeave();
  SleepObserver sleeper;
  std::atomic<bool> has_ended{false};
  std::thread destroyer([&] {
    sleeper.Begin();
    pool.reset();
    has_ended = true;
  });
  EXPECT_TRUE(sleeper.SeesSleep());
  EXPECT_FALSE(has_ended);
  state.HaveLeft();
  destroyer.join();
  EXPECT_TRUE(has_ended);
}

#endif

}  // namespace
}  // namespace ceres::parallel
