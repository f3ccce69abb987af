// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Hazards that a review of the runtime found, one test for each.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/base/platform.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/tasks/thread_queues.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;

// Sums 0 to 9 a hundred times, by nested loops with sleeps that let others
// help.
int SumOfNestedLoops(ThreadPool& pool) {
  std::atomic<int> sum{0};
  ParallelFor(pool, 0, 10, [&](int) {
    ParallelFor(pool, 0, 10, [&](int i) {
      std::this_thread::sleep_for(microseconds(20));
      sum.fetch_add(i);
    });
  });
  return sum;
}

// Calls a function when its thread ends. Where it was made before the thread
// used the runtime, that has already cleaned up after the thread.
struct CallsAtTheEnd {
  ~CallsAtTheEnd() {
    if (function) function();
  }
  std::function<void()> function;
};

TEST(EndingThread, MayStillRunNestedLoopsAndTasks) {
  const auto first = MakeEagerPool(2);
  const auto second = MakeEagerPool(2);
  int sum = 0;
  int value = 0;
  std::thread([&] {
    platform::ObjectOfThisThread<CallsAtTheEnd>().function = [&] {
      for (int run = 0; run < 3; ++run) {
        for (ThreadPool* pool : {first.get(), second.get()}) {
          sum += SumOfNestedLoops(*pool);
          value += Async(*pool, [] { return 1; }).Get();
          Detach(*pool, [] {});
        }
      }
    };
    EXPECT_EQ(SumOfNestedLoops(*first), 450);
    EXPECT_EQ(Async(*first, [] { return 1; }).Get(), 1);
    EXPECT_EQ(Async(*second, [] { return 1; }).Get(), 1);
  }).join();
  EXPECT_EQ(sum, 6 * 450);
  EXPECT_EQ(value, 6);
  first->WaitForAll();
  second->WaitForAll();
}

// The counts of a queue that only one thread uses have plain increments. Both
// threads are started here: while winpthreads destroys the objects of a thread,
// no other can start.
TEST(EndingThread, SharesNoQueueWithTheThreadThatBorrowsItNext) {
  ThreadPool pool(0);
  const detail::TaskQueue* queue_of_ending = nullptr;
  const detail::TaskQueue* queue_of_next = nullptr;
  std::atomic<bool> is_ending{false};
  std::atomic<bool> has_queue{false};
  std::atomic<bool> done{false};
  std::thread next([&] {
    while (!is_ending) std::this_thread::yield();
    queue_of_next = &detail::QueueOf(pool.state());
    has_queue = true;
    while (!done) std::this_thread::yield();
  });
  std::thread ending([&] {
    platform::ObjectOfThisThread<CallsAtTheEnd>().function = [&] {
      is_ending = true;
      while (!has_queue) std::this_thread::yield();
      queue_of_ending = &detail::QueueOf(pool.state());
      done = true;
      Detach(pool, [] {});
    };
    Detach(pool, [] {});
  });
  ending.join();
  next.join();
  EXPECT_NE(queue_of_ending, queue_of_next);
  pool.WaitForAll();
}

TEST(PassedOnInvitations, DoNotStayWhenTheirWorkHasEnded) {
  const auto pool = MakeEagerPool(1);
  ForwardingHost host(*pool);
  for (int run = 0; run < 100; ++run) {
    ParallelFor(host, 0, 20,
                [](int) { std::this_thread::sleep_for(microseconds(20)); },
                {0, 1, Schedule::kDynamic});
    TaskGroup group(host);
    for (int k = 0; k < 3; ++k) group.Run([] {});
    group.Wait();
  }
  EXPECT_GT(host.num_taken, 20);
  // The pool's own loops get help: two threads meet in one.
  std::atomic<int> arrived{0};
  std::atomic<bool> met{true};
  ParallelFor(*pool, 0, 2,
              [&](int) {
                arrived.fetch_add(1);
                if (!Eventually([&] { return arrived == 2; })) met = false;
              },
              {0, 1, Schedule::kStatic});
  EXPECT_TRUE(met);
}

// A group that is stopped from outside while the thread that waited makes it
// as new: never both says that all is well and drops tasks.
TEST(TaskGroupStop, FromOutsideDuringWaitIsSeenByAWait) {
  ThreadPool pool(0);
  TaskGroup group(pool);
  std::atomic<bool> done{false};
  std::atomic<bool> has_begun{false};
  std::thread canceller([&] {
    while (!done) {
      group.Cancel();
      has_begun = true;
    }
  });
  while (!has_begun) std::this_thread::yield();
  int num_lost = 0;
  for (int k = 0; k < 300000; ++k) {
    bool ran = false;
    group.Run([&] { ran = true; });
    if (group.Wait() == Status::kCompleted && !ran) ++num_lost;
  }
  done = true;
  canceller.join();
  EXPECT_EQ(num_lost, 0);
  group.Wait();
  bool ran = false;
  group.Run([&] { ran = true; });
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_TRUE(ran);
}

TEST(TaskGroupStop, ErrorsOfOneRoundDoNotDisturbThreadsThatWaitedForAnother) {
  const auto pool = MakeEagerPool(2);
  TaskGroup group(*pool);
  std::atomic<int> thrown{0};
  std::atomic<int> caught{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) {
        group.Run([&] {
          thrown.fetch_add(1);
          throw std::runtime_error("task");
        });
        try {
          group.Wait();
        } catch (const std::runtime_error&) {
          caught.fetch_add(1);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(caught, 0);
  EXPECT_LE(caught, thrown);
}

TEST(Deadlines, BeyondTheEndOfTheClockAreNone) {
  EXPECT_FALSE(CancellationSource(hours::max()).token().IsCancelled());
  EXPECT_FALSE(CancellationSource(std::chrono::milliseconds::max())
                   .token()
                   .IsCancelled());
  EXPECT_TRUE(CancellationSource(hours(-1)).token().IsCancelled());
  ThreadPool pool(1);
  TaskGraph graph;
  int calls = 0;
  TaskGraph::Task last = graph.Add([&] { ++calls; });
  for (int k = 0; k < 99; ++k) {
    const TaskGraph::Task next = graph.Add([&] { ++calls; });
    next.Succeed(last);
    last = next;
  }
  graph.Submit(pool);
  EXPECT_TRUE(graph.WaitUntil(std::chrono::system_clock::time_point::max()));
  graph.Submit(pool);
  EXPECT_TRUE(graph.WaitFor(hours(24 * 365 * 250)));
  graph.Submit(pool);
  EXPECT_TRUE(graph.WaitFor(hours::max()));
  EXPECT_EQ(calls, 300);
}

// In a piece that a helper runs, which the task waits for.
TEST(WaitingForOneself, IsAnErrorInALoopOfTheTaskToo) {
  const auto pool = MakeEagerPool(1);
  Future<int> self;
  std::atomic<int> arrived{0};
  std::atomic<int> errors{0};
  std::atomic<bool> may_begin{false};
  self = Async(*pool, [&] {
    EXPECT_TRUE(Eventually([&] { return may_begin.load(); }));
    ParallelFor(*pool, 0, 2,
                [&](Participant participant, int) {
                  arrived.fetch_add(1);
                  if (!Eventually([&] { return arrived == 2; })) return;
                  if (participant == 0) return;
                  try {
                    self.Wait();
                  } catch (const std::logic_error&) {
                    errors.fetch_add(1);
                  }
                },
                {0, 1, Schedule::kStatic});
    return 7;
  });
  may_begin = true;
  // Not by waiting for it, which would use `self` in two threads.
  pool->Resize(2);
  EXPECT_TRUE(Eventually([&] { return errors == 1; }));
  pool->WaitForAll();
  EXPECT_EQ(self.Get(), 7);
  EXPECT_EQ(errors, 1);
}

// A loop of two indices: while its owner is at the first, nobody repeats the
// invitation to the second.
void RunPair(ThreadPool& pool, const std::function<void()>& body) {
  ParallelFor(pool, 0, 2, [&](int) { body(); });
}

// So that RunPair is known to be worth a thread.
void TeachThatPairsAreLong(ThreadPool& pool) {
  for (int run = 0; run < 5; ++run) {
    RunPair(pool, [] { std::this_thread::sleep_for(microseconds(1000)); });
  }
}

// Begins a task that takes until the object ends.
class LongTask {
 public:
  explicit LongTask(ThreadPool& pool) : pool_(pool) {
    Detach(pool, [this] {
      has_begun_ = true;
      Eventually([this] { return may_end_.load(); });
    });
    EXPECT_TRUE(Eventually([this] { return has_begun_.load(); }));
  }
  ~LongTask() {
    may_end_ = true;
    pool_.WaitForAll();
  }

 private:
  ThreadPool& pool_;
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> may_end_{false};
};

TEST(LongLoop, IsJoinedByASleeperWhenThoseAwakeAreBusy) {
  ThreadPool pool(2);
  pool.SetRunningLimit(3);
  TeachThatPairsAreLong(pool);
  for (int run = 0; run < 3; ++run) {
    const LongTask task(pool);
    Meeting both(2);
    std::atomic<int> met{0};
    RunPair(pool, [&] { met += both.Attend() ? 1 : 0; });
    EXPECT_EQ(met, 2);
  }
}

// Two owners that see one idle worker both count on it, and so does the thread
// that adds a task. Whatever the worker turns to, it calls another worker for
// the rest.
TEST(LongLoop, IsJoinedWhenOthersCountedOnTheSameWorker) {
  ThreadPool pool(3);
  pool.SetRunningLimit(6);
  TeachThatPairsAreLong(pool);
  for (int run = 0; run < 100; ++run) {
    // Awake, for some time.
    Async(pool, [] {}).Get();
    Meeting all(5);
    std::atomic<int> met{0};
    const auto meet = [&] { met += all.Attend() ? 1 : 0; };
    std::thread other([&] { RunPair(pool, meet); });
    auto task = Async(pool, meet);
    RunPair(pool, meet);
    other.join();
    task.Wait();
    EXPECT_EQ(met, 5);
    if (met != 5) break;
  }
}

// A task may throw while its group's destructor waits because of another
// exception: two in flight would end the program.
TEST(BadUse, BodiesMayThrowWhileADestructorWaits) {
  const auto pool = MakeEagerPool(1);
  std::atomic<int> handled{0};
  pool->SetExceptionHandler(
      [&](const std::exception_ptr&) { handled.fetch_add(1); });
  try {
    TaskGroup group(*pool);
    for (int i = 0; i < 10; ++i) {
      group.Run([] { throw std::runtime_error("task"); });
    }
    throw std::logic_error("passes");
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "passes");
  }
  EXPECT_EQ(handled, 1);
}

TEST(BadUseDeathTest, APoolDestroyedInItsOwnTaskEndsTheProgram) {
  EXPECT_DEATH(
      {
        auto* const pool = new ThreadPool(1);
        Detach(*pool, [pool] { delete pool; });
        while (true) std::this_thread::sleep_for(hours(1));
      },
      "destroyed inside one of its own tasks");
}

TEST(BadUseDeathTest, AGroupDestroyedInItsOwnTaskEndsTheProgram) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  EXPECT_DEATH(
      {
        ThreadPool pool(0);
        auto group = std::make_unique<TaskGroup>(pool);
        group->Run([&] { group.reset(); });
        group->Wait();
      },
      "a task waits for its own end");
}

}  // namespace
}  // namespace ceres::parallel
