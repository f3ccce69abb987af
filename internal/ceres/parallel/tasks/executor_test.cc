// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/executor.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/short_sleep.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/testing/test_threads.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

// Long enough for a host to be asked.
void BusyIndex() { std::this_thread::sleep_for(kShortSleep); }

void ExpectLoopIsComplete(Executor& executor) {
  for (int run = 0; run < 3; ++run) {
    std::vector<std::atomic<int>> calls(100);
    ParallelFor(executor, 0, 100, [&](int i) {
      BusyIndex();
      calls[i].fetch_add(1);
    });
    for (const auto& count : calls) ASSERT_EQ(count, 1);
  }
}

TEST(SerialExecutor, RunsInOrderInTheCaller) {
  SerialExecutor executor;
  std::vector<int> order;
  ParallelFor(executor, 0, 100, [&](Participant participant, int i) {
    EXPECT_EQ(participant, 0);
    order.push_back(i);
  });
  for (int i = 0; i < 100; ++i) ASSERT_EQ(order[i], i);
}

TEST(Executor, AnInvitationAcceptedAfterTheLoopDoesNothing) {
  KeepingHost host;
  ExpectLoopIsComplete(host);
  const std::vector<Invitation> kept = host.TakeAll();
  ASSERT_FALSE(kept.empty());
  for (const Invitation& invitation : kept) {
    EXPECT_FALSE(invitation.Accept());
    EXPECT_FALSE(invitation.Accept());
  }
  EXPECT_FALSE(Invitation().Accept());
}

TEST(Executor, ALateInvitationDoesNotReachALaterLoop) {
  KeepingHost host;
  ExpectLoopIsComplete(host);
  const std::vector<Invitation> old = host.TakeAll();
  std::thread late;
  ParallelFor(host, 0, 200, [&](Participant participant, int i) {
    EXPECT_EQ(participant, 0);
    if (i == 0) {
      late = std::thread([&] {
        for (const Invitation& invitation : old) {
          EXPECT_FALSE(invitation.Accept());
        }
      });
    }
    BusyIndex();
  });
  late.join();
}

class ThrowingHost : public Executor {
 public:
  int MaxConcurrency() const override { return 4; }
  bool Invite(Invitation) override { throw std::runtime_error("no threads"); }
};

TEST(Executor, AHostOfThreadsHelps) {
  QueueHost host(std::chrono::microseconds(0));
  std::atomic<int> arrived{0};
  std::atomic<bool> ok{true};
  // Teaches the place in the source that its indices are long, then meets.
  for (int run = 0; run < 2; ++run) {
    ParallelFor(host, 0, 40, [&](int) {
      BusyIndex();
      if (run == 0) return;
      arrived.fetch_add(1);
      if (!Eventually([&] { return arrived >= 2; })) ok = false;
    });
  }
  EXPECT_TRUE(ok);
  EXPECT_GT(host.num_accepted, 0);
}

TEST(Executor, AHostMayComeMuchLater) {
  QueueHost host(std::chrono::milliseconds(30));
  ExpectLoopIsComplete(host);
}

TEST(Executor, ExceptionsOfHelpersReachTheCaller) {
  QueueHost host(std::chrono::microseconds(0));
  EXPECT_THROW(ParallelFor(host, 0, 500,
                           [](Participant participant, int i) {
                             BusyIndex();
                             if (participant > 0 || i == 499) {
                               throw std::runtime_error("helper");
                             }
                           }),
               std::runtime_error);
}

TEST(Executor, AReductionHasTheSameBitsOnEveryHost) {
  SerialExecutor serial;
  QueueHost threads(std::chrono::microseconds(0));
  ThreadPool pool(3);
  const auto sum = [](Executor& executor) {
    return ParallelReduce(
        executor, 0, 100000, 0.0, [](int i) { return 1.0 / (i + 1); },
        [](double a, double b) { return a + b; });
  };
  EXPECT_EQ(sum(threads), sum(serial));
  EXPECT_EQ(sum(pool), sum(serial));
}

// Tasks behave alike on every host, whether it helps or not.
void ExpectTasksAreComplete(Executor& executor) {
  for (int run = 0; run < 3; ++run) {
    Future<int> future = Async(
        executor, [](int x) { return x + 1; }, run);
    EXPECT_EQ(future.Get(), run + 1);
    Future<int> nested = Async(
        executor, [&] { return 1 + Async(executor, [] { return 1; }).Get(); });
    std::vector<std::atomic<int>> calls(100);
    TaskGroup group(executor);
    for (int i = 0; i < 100; ++i) {
      group.Run([&calls, i] {
        BusyIndex();
        calls[i].fetch_add(1);
      });
    }
    EXPECT_EQ(group.Wait(), Status::kCompleted);
    for (const auto& count : calls) ASSERT_EQ(count, 1);
    EXPECT_EQ(nested.Get(), 2);
    group.Run([] { throw std::runtime_error("task"); });
    EXPECT_THROW(group.Wait(), std::runtime_error);
    Future<int> cancelled = Async(executor, [] { return 1; });
    if (cancelled.Cancel()) {
      EXPECT_THROW(cancelled.Get(), TaskCancelled);
    }
    static_cast<void>(Async(executor, [] { return 1; }));
  }
}

TEST(ExecutorTasks, OnASerialExecutorRunInTheThreadThatWaits) {
  SerialExecutor host;
  ExpectTasksAreComplete(host);
}

TEST(ExecutorTasks, AHostThatRefusesOrThrowsDoesNotHoldUpLoopsAndTasks) {
  RefusingHost refusing;
  ExpectLoopIsComplete(refusing);
  EXPECT_GT(refusing.num_asked, 0);
  ExpectTasksAreComplete(refusing);
  ThrowingHost throwing;
  ExpectLoopIsComplete(throwing);
  ExpectTasksAreComplete(throwing);
}

TEST(ExecutorTasks, InvitationsAcceptedLateOrTwiceDoNothing) {
  KeepingHost host;
  ExpectTasksAreComplete(host);
  const std::vector<Invitation> old = host.TakeAll();
  // The one that was dropped is still there to be run.
  int accepted = 0;
  for (int round = 0; round < 2; ++round) {
    for (const Invitation& invitation : old) {
      accepted += invitation.Accept() ? 1 : 0;
    }
  }
  EXPECT_EQ(accepted, 3);
  // Nor do they reach the sets that use the memory again.
  std::vector<Future<int>> futures;
  for (int i = 0; i < 500; ++i) {
    futures.push_back(Async(host, [i] { return i; }));
  }
  for (const Invitation& invitation : old) EXPECT_FALSE(invitation.Accept());
  for (int i = 0; i < 500; ++i) EXPECT_EQ(futures[i].Get(), i);
}

TEST(ExecutorTasks, AHostMayAcceptInsideInvite) {
  InlineHost host;
  ExpectLoopIsComplete(host);
  EXPECT_GT(host.num_accepted, 0);
  ExpectTasksAreComplete(host);
  std::atomic<int> calls{0};
  for (int i = 0; i < 10; ++i) Detach(host, [&] { calls.fetch_add(1); });
  EXPECT_EQ(calls, 10);
}

TEST(ExecutorTasks, AHostOfThreadsHelpsSoonerOrLater) {
  for (const int delay : {0, 3000}) {
    std::atomic<int> calls{0};
    {
      QueueHost host{std::chrono::microseconds(delay)};
      ExpectLoopIsComplete(host);
      ExpectTasksAreComplete(host);
      for (int i = 0; i < 10; ++i) Detach(host, [&] { calls.fetch_add(1); });
      ASSERT_TRUE(Eventually([&] { return calls == 10; }));
    }
    EXPECT_EQ(calls, 10);
  }
}

TEST(ExecutorTasks, AHostRunsGroupTasksBesideTheThreadThatWaits) {
  QueueHost host(std::chrono::microseconds(0));
  TaskGroup group(host);
  Meeting meeting(3);
  for (int i = 0; i < 3; ++i) {
    group.Run([&] { EXPECT_TRUE(meeting.Attend()); });
  }
  group.Wait();
}

TEST(ExecutorTasks, AHostMayPassInvitationsOnToAPool) {
  const auto pool = MakeEagerPool(2);
  ForwardingHost host(*pool);
  ExpectTasksAreComplete(host);
  ExpectLoopIsComplete(host);
}

TEST(ExecutorTasks, APoolBehindAnExecutorRunsEveryDetachedTask) {
  constexpr int kTasks = kThreadSanitizer ? 10000 : 100000;
  std::atomic<int> calls{0};
  for (const int workers : {1, 2}) {
    const auto pool = MakeEagerPool(workers);
    ForwardingHost host(*pool);
    calls = 0;
    for (int i = 0; i < kTasks; ++i) Detach(host, [&] { calls.fetch_add(1); });
    EXPECT_EQ(host.num_taken, kTasks);
    EXPECT_TRUE(Eventually([&] { return calls == kTasks; })) << calls;
  }
}

TEST(ExecutorTasks, APoolBehindAnExecutorRunsWhatItAcceptedBeforeItEnds) {
  constexpr int kTasks = 1000;
  std::atomic<int> calls{0};
  auto pool = std::make_unique<ThreadPool>(1);
  ForwardingHost host(*pool);
  for (int i = 0; i < kTasks; ++i) Detach(host, [&] { calls.fetch_add(1); });
  pool.reset();
  EXPECT_EQ(calls, kTasks);
}

TEST(ExecutorTasks, APoolWithoutWorkersRefusesInvitations) {
  ThreadPool pool(0);
  ForwardingHost host(pool);
  std::atomic<int> calls{0};
  Detach(host, [&] { calls.fetch_add(1); });
  EXPECT_EQ(host.num_taken, 0);
  EXPECT_EQ(Async(host, [] { return 1; }).Get(), 1);
  EXPECT_EQ(host.num_taken, 0);
  // By Detach itself.
  EXPECT_EQ(calls, 1);
}

// The first task ends only if another worker begins the second one.
TEST(ExecutorTasks, AWorkerAtAForwardedTaskDoesNotCountAsSearching) {
  for (const bool forwards_second : {false, true}) {
    ThreadPool pool(2);
    pool.SetRunningLimit(4);
    ForwardingHost host(pool);
    Hold first;
    Gate first_has_ended;
    Detach(host, [&] {
      first.Stay();
      first_has_ended.Open();
    });
    first.AwaitTask();
    const auto second = [&] { first.Release(); };
    if (forwards_second) {
      Detach(host, second);
    } else {
      Detach(pool, second);
    }
    first_has_ended.Pass();
    pool.WaitForAll();
  }
}

TEST(ExecutorTasks, APoolGivenAsAnExecutorIsThePool) {
  const auto pool = MakeEagerPool(1);
  Executor& executor = *pool;
  ExpectTasksAreComplete(executor);
  std::atomic<int> calls{0};
  for (int i = 0; i < 1000; ++i) Detach(executor, [&] { calls.fetch_add(1); });
  pool->WaitForAll();
  EXPECT_EQ(calls, 1000);
}

TEST(ExecutorTasks, InvitationsThatNobodySentDoNothing) {
  for (const std::uint64_t handle :
       {std::uint64_t{1} << 62, ~std::uint64_t{0} >> 1,
        (std::uint64_t{1} << 62) | (std::uint64_t{63} << 36) | 1}) {
    EXPECT_FALSE(Invitation(handle).Accept());
  }
}

}  // namespace
}  // namespace ceres::parallel
