// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Detached tasks, waiting for all, priorities, conditions; tasks and the life
// of their pool.

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/base/platform.h"
#include "ceres/base/testing/fake_clock.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_threads.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

#if defined(CERES_SYSTEM_LINUX)
#include <pthread.h>
#include <sched.h>
#endif
#if defined(CERES_SYSTEM_POSIX)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace ceres::parallel {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

class TasksOnEveryPool : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, TasksOnEveryPool,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(TasksOnEveryPool, WaitForAllWaitsForDetachedTasksAndWhatTheyDetach) {
  std::atomic<int> calls{0};
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 50; ++i) {
      Detach(pool(), [&] {
        calls.fetch_add(1);
        Detach(pool(), [&] { calls.fetch_add(1); });
      });
    }
    pool().WaitForAll();
    ASSERT_EQ(calls, 100 * (round + 1));
  }
}

// The counter of the CPU is behind the value that it had when it was
// calibrated.
TEST(PoolTasks, LoopsAndTasksRunOnTheSteadyClock) {
  base::CalibrateClockSince(
      {base::Now() + (base::Ticks{1} << 50), std::chrono::steady_clock::now()});
  EXPECT_EQ(base::clock_source.load(), base::ClockSource::kSteady);
  ThreadPool pool(2);
  std::atomic<int> calls{0};
  for (int run = 0; run < 20; ++run) {
    ParallelFor(pool, 0, 1000, [&](int) { calls.fetch_add(1); });
    Async(pool, [&] { calls.fetch_add(1); }).Get();
  }
  base::clock_source = base::ClockSource::kCounter;
  base::nanoseconds_per_tick = 0.0f;
  EXPECT_EQ(calls, 20 * 1001);
}

int FibonacciByConditions(ThreadPool& pool, int n) {
  if (n < 2) return n;
  int first = 0;
  std::atomic<bool> done{false};
  Detach(pool, [&pool, &first, &done, n] {
    first = FibonacciByConditions(pool, n - 1);
    done.store(true, std::memory_order_release);
  });
  const int second = FibonacciByConditions(pool, n - 2);
  HelpUntil(pool, [&] { return done.load(std::memory_order_acquire); });
  return first + second;
}

TEST_P(TasksOnEveryPool, RecursionByConditions) {
  EXPECT_EQ(FibonacciByConditions(pool(), 14), 377);
}

TEST(Detach, RunsInAWorkerWithoutAnybodyWaiting) {
  for (const bool eager : {true, false}) {
    const auto pool =
        eager ? MakeEagerPool(1) : std::make_unique<ThreadPool>(1);
    // Even where the limit lets nobody run beside the caller.
    if (!eager) pool->SetRunningLimit(1);
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> calls{0};
      for (int i = 0; i < 10; ++i) Detach(*pool, [&] { calls.fetch_add(1); });
      ASSERT_TRUE(Eventually([&] { return calls == 10; }));
      // Now and then the worker has parked.
      if (round % 5 == 0) std::this_thread::sleep_for(microseconds(300));
    }
  }
}

TEST(Detach, OnTheDefaultPool) {
  std::atomic<bool> ran{false};
  Detach([&](int x) { ran = x == 3; }, 3);
  EXPECT_TRUE(Eventually([&] { return ran.load(); }));
  EXPECT_GE(ThreadPool::Default().NumWorkers(), 1);
}

TEST(Detach, ExceptionsGoToTheHandler) {
  ThreadPoolOptions options;
  options.num_workers = 2;
  std::mutex mutex;
  std::vector<std::string> messages;
  options.exception_handler = [&](const std::exception_ptr& error) {
    const std::lock_guard<std::mutex> lock(mutex);
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& exception) {
      messages.push_back(exception.what());
    }
  };
  ThreadPool pool(options);
  for (int i = 0; i < 10; ++i) {
    Detach(pool, [] { throw std::runtime_error("detached"); });
  }
  pool.WaitForAll();
  EXPECT_EQ(messages, std::vector<std::string>(10, "detached"));
  std::atomic<int> replaced{0};
  pool.SetExceptionHandler(
      [&](const std::exception_ptr&) { replaced.fetch_add(1); });
  Detach(pool, [] { throw 1; });
  pool.WaitForAll();
  EXPECT_EQ(replaced, 1);
}

TEST(DetachDeathTest, WithoutAHandlerAnExceptionEndsTheProgram) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  EXPECT_DEATH(
      {
        ThreadPool pool(1);
        Detach(pool, [] { throw std::runtime_error("nobody cares"); });
        pool.WaitForAll();
      },
      "nobody cares");
}

TEST(WaitForAll, InsideATaskOrLoopOfThePoolIsAnError) {
  for (const int workers : {0, 1}) {
    const auto pool = MakeEagerPool(workers);
    Future<void> task = Async(*pool, [&] { pool->WaitForAll(); });
    EXPECT_THROW(task.Get(), std::logic_error);
    ThreadPool other(workers);
    Async(*pool, [&] { other.WaitForAll(); }).Get();
  }
}

TEST(WaitForAll, SeesTheTasksOfThreadsThatHaveEnded) {
  ThreadPool pool(0);
  std::atomic<int> calls{0};
  for (int t = 0; t < 100; ++t) {
    std::thread([&] { Detach(pool, [&] { calls.fetch_add(1); }); }).join();
  }
  pool.WaitForAll();
  EXPECT_EQ(calls, 100);
}

TEST(WaitForAll, ManyMoreThreadsThanQueues) {
  const auto pool = MakeEagerPool(2);
  std::atomic<int> calls{0};
  std::atomic<int> here{0};
  constexpr int kThreads = 100;
  RunInThreads(kThreads, [&](int) {
    here.fetch_add(1);
    EXPECT_TRUE(Eventually([&] { return here == kThreads; }));
    TaskGroup group(*pool);
    for (int i = 0; i < 20; ++i) {
      Detach(*pool, [&] { calls.fetch_add(1); });
      group.Run([&] { calls.fetch_add(1); });
      Async(*pool, [&] { calls.fetch_add(1); }).Get();
    }
    group.Wait();
  });
  pool->WaitForAll();
  EXPECT_EQ(calls, kThreads * 60);
}

// The only worker of the pool is busy until the test calls Release.
class PriorityTest : public ::testing::Test {
 protected:
  PriorityTest() {
    Detach(pool(), [this] { hold_.Stay(); });
    hold_.AwaitTask();
  }
  ThreadPool& pool() { return *pool_; }
  void Release() { hold_.Release(); }

 private:
  Hold hold_;
  const std::unique_ptr<ThreadPool> pool_ = MakeEagerPool(1);
};

TEST_F(PriorityTest, HighOnesGoFirstAndNormalOnesDoNotStarve) {
  std::vector<char> order;  // Only the worker writes it.
  std::atomic<int> left{80};
  for (int i = 0; i < 40; ++i) {
    for (const Priority priority : {Priority::kNormal, Priority::kHigh}) {
      Detach(pool(), TaskOptions{priority}, [&, priority] {
        order.push_back(priority == Priority::kHigh ? 'h' : 'n');
        left.fetch_sub(1);
      });
    }
  }
  Release();
  ASSERT_TRUE(Eventually([&] { return left == 0; }));
  ASSERT_EQ(order.size(), 80u);
  int normal_in_first_half = 0;
  for (int i = 0; i < 40; ++i) normal_in_first_half += order[i] == 'n';
  EXPECT_GE(normal_in_first_half, 40 / 8 - 1);
  EXPECT_LE(normal_in_first_half, 40 / 8 + 1);
}

TEST_F(PriorityTest, AHighTaskDoesNotWaitForALongNormalGroup) {
  TaskGroup group(pool());
  std::atomic<int> normal{0};
  std::atomic<int> before_high{-1};
  for (int i = 0; i < 1000; ++i) {
    group.Run([&] {
      if (normal.fetch_add(1) != 10) return;
      Detach(pool(), TaskOptions{Priority::kHigh},
             [&] { before_high = normal.load(); });
    });
  }
  Release();
  ASSERT_TRUE(Eventually([&] { return normal == 1000 && before_high >= 0; }));
  // The next task of the only worker, though it had set others aside.
  EXPECT_EQ(before_high, 11);
  group.Wait();
}

TEST_F(PriorityTest, OtherTasksDoNotWaitForALongGroup) {
  constexpr int kTasks = 50000;
  std::atomic<int> done{0};
  std::atomic<int> at_detached{-1};
  TaskGroup group(pool());
  for (int i = 0; i < kTasks; ++i) group.Run([&] { done.fetch_add(1); });
  RunInThreads(
      1, [&](int) { Detach(pool(), [&] { at_detached = done.load(); }); });
  Release();
  ASSERT_TRUE(Eventually([&] { return done == kTasks && at_detached >= 0; }));
  EXPECT_LT(at_detached, kTasks);
  group.Wait();
}

TEST(HelpUntil, RethrowsWhatThePredicateThrows) {
  FakeClock clock;
  ThreadPool pool(1);
  // Spins for 5 ms, which is more than it does before it sleeps.
  const auto start = FakeClock::now();
  EXPECT_THROW(HelpUntil(pool,
                         [&]() -> bool {
                           clock.Advance(microseconds(10));
                           if (FakeClock::now() - start > milliseconds(5)) {
                             throw std::runtime_error("predicate");
                           }
                           return false;
                         }),
               std::runtime_error);
  EXPECT_TRUE(HelpUntil(
      pool, [] { return true; }, FakeClock::now() + std::chrono::seconds(1)));
}

TEST(HelpUntil, ReturnsAtTheDeadline) {
  FakeClock clock;
  const auto pool = MakeEagerPool(1);
  const auto start = FakeClock::now();
  int looks = 0;
  EXPECT_FALSE(HelpUntil(
      *pool,
      [&] {
        if (++looks == 1000) clock.Advance(milliseconds(5));
        return false;
      },
      start + milliseconds(5)));
  EXPECT_GE(FakeClock::now(), start + milliseconds(5));
  EXPECT_GE(looks, 1000);
  EXPECT_TRUE(HelpUntil(
      *pool, [] { return true; }, start));
}

TEST(HelpUntil, DoesNotHangWithoutWorkersWhileAnotherThreadActs) {
  ThreadPool pool(0);
  std::atomic<int> calls{0};
  std::thread other([&] {
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(microseconds(300));
      Detach(pool, [&] { calls.fetch_add(1); });
    }
    // This makes the condition true without a task.
    std::this_thread::sleep_for(milliseconds(3));
    calls.fetch_add(1);
  });
  HelpUntil(pool, [&] { return calls == 11; });
  other.join();
}

TEST(ThreadPoolTasks, ResizingLosesNoTask) {
  const auto pool = MakeEagerPool(4);
  std::atomic<int> calls{0};
  std::vector<Future<int>> futures;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 10; ++i) {
      Detach(*pool, [&] { calls.fetch_add(1); });
      futures.push_back(Async(*pool, [i] { return i; }));
    }
    pool->Resize((round * 7) % 5);
  }
  pool->Resize(0);
  for (std::size_t i = 0; i < futures.size(); ++i) {
    EXPECT_EQ(futures[i].Get(), static_cast<int>(i % 10));
  }
  pool->WaitForAll();
  EXPECT_EQ(calls, 2000);
}

TEST(ThreadPoolTasks, DetachedTasksRunWhenAPoolGetsItsFirstWorker) {
  ThreadPool pool(0);
  std::atomic<int> calls{0};
  for (int i = 0; i < 10; ++i) Detach(pool, [&] { calls.fetch_add(1); });
  pool.Resize(1);
  EXPECT_TRUE(Eventually([&] { return calls == 10; }));
}

TEST(ThreadPoolTasks, DestructionRunsWhatIsQueued) {
  for (int run = 0; run < 100; ++run) {
    std::atomic<int> calls{0};
    {
      const auto pool = MakeEagerPool(run % 4);
      for (int i = 0; i < 50; ++i) {
        Detach(*pool, [&] {
          if (calls.fetch_add(1) % 10 == 0)
            std::this_thread::sleep_for(microseconds(10));
        });
      }
    }
    ASSERT_EQ(calls, 50);
  }
}

TEST(ThreadPoolTasks, TasksMayUseOtherPools) {
  const auto a = MakeEagerPool(2);
  const auto b = MakeEagerPool(1);
  std::vector<Future<int>> futures;
  for (int i = 0; i < 100; ++i) {
    futures.push_back(Async(*a, [&, i] {
      EXPECT_EQ(this_thread::Pool(), a.get());
      return Async(*b,
                   [&, i] {
                     EXPECT_EQ(this_thread::Pool(), b.get());
                     return Async(*a, [i] { return i; }).Get();
                   })
          .Get();
    }));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(futures[i].Get(), i);
  EXPECT_EQ(this_thread::Pool(), nullptr);
}

TEST(ThisThread, KnowsItsPoolAndIndex) {
  EXPECT_EQ(this_thread::Pool(), nullptr);
  EXPECT_EQ(this_thread::WorkerIndex(), -1);
  const auto pool = MakeEagerPool(3);
  Meeting meeting(4);
  std::atomic<int> indices{0};
  ParallelFor(*pool, 0, 4, [&](Participant participant, int) {
    EXPECT_TRUE(meeting.Attend());
    EXPECT_EQ(this_thread::Pool(), pool.get());
    const int index = this_thread::WorkerIndex();
    EXPECT_EQ(index == -1, participant == 0);
    indices.fetch_or(1 << (index + 1));
  });
  EXPECT_EQ(indices, 15);
  EXPECT_EQ(this_thread::Pool(), nullptr);
}

#if defined(CERES_SYSTEM_LINUX)
TEST(ThreadPoolOptions, NamesAndPinsThreads) {
  ThreadPoolOptions options;
  options.num_workers = 1;
  options.name = "a-rather-long-name";
  options.pin = true;
  ThreadPool pool(options);
  std::atomic<bool> done{false};
  std::string name;
  int cpus = 0;
  Detach(pool, [&] {
    char buffer[32];
    pthread_getname_np(pthread_self(), buffer, sizeof(buffer));
    name = buffer;
    cpu_set_t set;
    sched_getaffinity(0, sizeof(set), &set);
    cpus = CPU_COUNT(&set);
    done = true;
  });
  ASSERT_TRUE(Eventually([&] { return done.load(); }));
  EXPECT_EQ(name, "a-rather-long-0");
  EXPECT_EQ(cpus, 1);
}
#endif

TEST(ThreadPoolOptions, TheDefaultHasAtLeastOneWorker) {
  const ThreadPool pool{ThreadPoolOptions()};
  EXPECT_GE(pool.NumWorkers(), 1);
  ThreadPoolOptions negative;
  negative.num_workers = -2;
  EXPECT_THROW(ThreadPool{negative}, std::invalid_argument);
}

#if defined(CERES_SYSTEM_POSIX)
int FibonacciByFutures(ThreadPool& pool, int n) {
  if (n < 2) return n;
  Future<int> first =
      Async(pool, [&pool, n] { return FibonacciByFutures(pool, n - 1); });
  const int second = FibonacciByFutures(pool, n - 2);
  return first.Get() + second;
}

// The child must have none of the parent's tasks, and work.
TEST(ThreadPoolTasks, AForkedChildStartsAfresh) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  const auto pool = MakeEagerPool(2);
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop) FibonacciByFutures(*pool, 12);
  });
  const pid_t parent = getpid();
  for (int run = 0; run < 20; ++run) {
    std::atomic<int> calls{0};
    for (int i = 0; i < 20; ++i) {
      Detach(*pool, [&] {
        if (getpid() != parent) _exit(3);
        calls.fetch_add(1);
      });
    }
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool ok = FibonacciByFutures(*pool, 15) == 610;
      std::atomic<int> own{0};
      for (int i = 0; i < 20; ++i) Detach(*pool, [&] { own.fetch_add(1); });
      TaskGroup group(*pool);
      for (int i = 0; i < 20; ++i) group.Run([&] { own.fetch_add(1); });
      group.Wait();
      pool->WaitForAll();
      _exit(ok && own == 40 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    ASSERT_TRUE(Eventually([&] { return calls == 20; }));
  }
  stop = true;
  user.join();
}
#endif

}  // namespace
}  // namespace ceres::parallel
