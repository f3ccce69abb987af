// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Future::Then.

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/testing/test_threads.h"
#include "ceres/parallel/this_thread.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class Continuations : public ::testing::TestWithParam<int> {
 protected:
  ThreadPool& pool() { return *pool_; }

 private:
  std::unique_ptr<ThreadPool> pool_ = MakeEagerPool(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Continuations, ::testing::Values(0, 1, 3));

TEST_P(Continuations, GetWhatTheTaskBeforeReturned) {
  Future<int> number = Async(pool(), [] { return 6; });
  Future<std::string> text =
      number.Then([](int n) { return 7 * n; }).Then([](int n) {
        return std::to_string(n);
      });
  EXPECT_FALSE(number.IsValid());
  EXPECT_EQ(text.Get(), "42");

  int calls = 0;
  Future<void> nothing = Async(pool(), [&] { ++calls; }).Then([&] { ++calls; });
  nothing.Get();
  EXPECT_EQ(calls, 2);

  int variable = 1;
  Future<int&> reference =
      Async(pool(), [&]() -> int& {
        return variable;
      }).Then([](int& referred) -> int& { return ++referred; });
  EXPECT_EQ(&reference.Get(), &variable);
  EXPECT_EQ(variable, 2);

  auto pointer = Async(pool(), [] { return std::make_unique<int>(3); })
                     .Then([more = std::make_unique<int>(4)](
                               std::unique_ptr<int> less) mutable {
                       *more += *less;
                       return std::move(more);
                     });
  EXPECT_EQ(*pointer.Get(), 7);
}

TEST_P(Continuations, LargeOnesLieOnTheHeap) {
  std::array<int, 100> numbers = {};
  numbers[99] = 5;
  auto future = Async(pool(), [numbers] {
                  return numbers;
                }).Then([numbers](std::array<int, 100> others) {
    others[0] = numbers[99];
    return others;
  });
  EXPECT_EQ(future.Get()[0], 5);
}

TEST_P(Continuations, FollowATaskThatHasEnded) {
  Future<int> future = Async(pool(), [] { return 1; });
  future.Wait();
  for (int k = 0; k < 5; ++k) {
    future = future.Then([](int n) { return n + 1; });
    if (k % 2 == 0) future.Wait();
  }
  EXPECT_EQ(future.Get(), 6);
}

TEST_P(Continuations, OfATaskThatThrowsAreNotCalled) {
  bool is_called = false;
  Future<int> future = Async(pool(), []() -> int {
                         throw std::runtime_error("first");
                       }).Then([&](int n) {
    is_called = true;
    return n;
  });
  EXPECT_THROW(future.Get(), std::runtime_error);
  EXPECT_FALSE(is_called);
  Future<int> other =
      Async(pool(), [] {
      }).Then([]() -> int {
          throw std::domain_error("second");
        }).Then([](int n) { return n; });
  EXPECT_THROW(other.Get(), std::domain_error);
}

struct ThrowsWhenCopied {
  ThrowsWhenCopied() = default;
  ThrowsWhenCopied(const ThrowsWhenCopied&) {
    throw std::runtime_error("copied");
  }
  int operator()(int n) const { return n; }
};

TEST_P(Continuations, ThatCannotBeMadeLeaveTheFutureAsItWas) {
  Future<int> future = Async(pool(), [] { return 3; });
  const ThrowsWhenCopied f;
  EXPECT_THROW(static_cast<void>(future.Then(f)), std::runtime_error);
  ASSERT_TRUE(future.IsValid());
  EXPECT_EQ(future.Get(), 3);
  EXPECT_THROW(static_cast<void>(future.Then([](int n) { return n; })),
               std::future_error);
}

TEST(ContinuationsCancelled, WithTheFirstTask) {
  ThreadPool pool(0);
  Future<int> first = Async(pool, [] { return 1; });
  ASSERT_TRUE(first.Cancel());
  bool is_called = false;
  Future<int> next = first.Then([&](int n) {
    is_called = true;
    return n;
  });
  EXPECT_THROW(next.Get(), TaskCancelled);
  EXPECT_FALSE(is_called);
}

TEST(ContinuationsCancelled, BeforeTheFirstTaskHasEnded) {
  ThreadPool pool(1);
  Gate gate;
  auto witness = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = witness;
  Future<int> future = Async(pool, [&] {
                         gate.Pass();
                         return 1;
                       }).Then([witness = std::move(witness)](int n) {
    ADD_FAILURE() << "called";
    return n + *witness;
  });
  EXPECT_TRUE(future.Cancel());
  EXPECT_FALSE(future.Cancel());
  Future<int> next = future.Then([](int n) { return n; });
  EXPECT_FALSE(alive.expired());
  gate.Open();
  EXPECT_THROW(next.Get(), TaskCancelled);
  EXPECT_TRUE(alive.expired());
}

TEST(ContinuationsCancelled, NotWhenTheyHaveBegun) {
  ThreadPool pool(1);
  Hold hold;
  Future<void> future = Async(pool, [] {}).Then([&] { hold.Stay(); });
  hold.AwaitTask();
  EXPECT_FALSE(future.Cancel());
  hold.Release();
  future.Get();
}

TEST(Continuation, RunsThoughNobodyWaits) {
  ThreadPool pool(1);
  std::atomic<int> ended{0};
  Gate gate;
  static_cast<void>(
      Async(pool, [&] { gate.Pass(); }).Then([&] { ++ended; }).Then([&] {
        ++ended;
      }));
  gate.Open();
  EXPECT_TRUE(Eventually([&] { return ended == 2; }));
}

TEST(Continuation, IsWaitedForByWaitForAllAndTheDestructorOfThePool) {
  std::atomic<int> ended{0};
  const auto launch = [&](ThreadPool& pool) {
    static_cast<void>(
        Async(pool, [&] { ++ended; }).Then([&] { ++ended; }).Then([&] {
          ++ended;
        }));
  };
  for (const int workers : {0, 2}) {
    ended = 0;
    {
      ThreadPool pool(workers);
      launch(pool);
      pool.WaitForAll();
      EXPECT_EQ(ended, 3);
      launch(pool);
    }
    EXPECT_EQ(ended, 6);
  }
}

template <typename Host>
void UseOn(Host& host) {
  int calls = 0;
  Future<int> future = Async(host, [] {
                         return 1;
                       }).Then([&](int n) {
                           return n + ++calls;
                         }).Then([&](int n) { return n + ++calls; });
  EXPECT_EQ(future.Get(), 4);
  future = Async(host, [] { return 1; });
  future.Wait();
  EXPECT_EQ(future.Then([](int n) { return n + 1; }).Get(), 2);
}

TEST(Continuation, OfATaskOnAnyExecutor) {
  SerialExecutor serial;
  UseOn(serial);
  InlineHost inline_host;
  UseOn(inline_host);
  KeepingHost keeping;
  UseOn(keeping);
  QueueHost queue(std::chrono::microseconds(50));
  UseOn(queue);
  UnreliableHost unreliable;
  for (int k = 0; k < 100; ++k) UseOn(unreliable);
}

TEST(Continuation, RunsOnAnExecutorThoughNobodyWaits) {
  QueueHost queue(std::chrono::microseconds(500));
  std::atomic<bool> ended{false};
  static_cast<void>(Async(queue, [] {}).Then([&] { ended = true; }));
  EXPECT_TRUE(Eventually([&] { return ended.load(); }));
}

TEST(Continuation, IsWorkOfThePool) {
  ThreadPool pool(1);
  Gate gate;
  Future<bool> future = Async(pool, [&] {
                          gate.Pass();
                        }).Then([&] {
                            return this_thread::Pool() == &pool;
                          }).Then([&](bool here) {
    return here && Async([&] { return this_thread::Pool() == &pool; }).Get();
  });
  gate.Open();
  EXPECT_TRUE(future.Get());
}

TEST(Continuation, InWhichTheChainIsAwaitedIsAnError) {
  ThreadPool pool(1);
  Gate gate;
  Future<void> future;
  future = Async(pool, [&] { gate.Pass(); }).Then([&] {
    EXPECT_THROW(future.Wait(), std::logic_error);
  });
  gate.Open();
  EXPECT_TRUE(Eventually([&] { return future.IsReady(); }));
}

// Both indices are needed at once, and the pool has one worker, which is at the
// loop.
TEST(Continuation, GetsHelpFromTheThreadThatWaitsForTheChain) {
  const auto pool = MakeEagerPool(1);
  Gate gate;
  std::atomic<int> met{0};
  bool have_met = true;
  Future<void> future =
      Async(*pool, [&] { gate.Pass(); })
          .Then([&] {
            ParallelFor(*pool, 0, 2, [&](int) {
              ++met;
              EXPECT_TRUE(Eventually([&] { return met == 2; }));
            });
          })
          .Then([&] { have_met = met == 2; });
  gate.Open();
  future.Get();
  EXPECT_TRUE(have_met);
}

constexpr int kLong = 1000000;

Future<int> Continue(Future<int> future, int links) {
  for (int k = 0; k < links; ++k) {
    future = future.Then([](int n) { return n + 1; });
  }
  return future;
}

TEST(LongChain, RunByTheThreadThatWaits) {
  ThreadPool pool(0);
  EXPECT_EQ(Continue(Async(pool, [] { return 0; }), kLong).Get(), kLong);
  SerialExecutor serial;
  EXPECT_EQ(Continue(Async(serial, [] { return 0; }), kLong).Get(), kLong);
}

TEST(LongChain, RunByAWorker) {
  ThreadPool pool(1);
  Gate gate;
  Future<int> future = Async(pool, [&] {
    gate.Pass();
    return 0;
  });
  future = Continue(std::move(future), kLong);
  gate.Open();
  EXPECT_TRUE(Eventually([&] { return future.IsReady(); }));
  EXPECT_EQ(future.Get(), kLong);
}

TEST(LongChain, RunWhileItIsMade) {
  ThreadPool pool(2);
  EXPECT_EQ(Continue(Async(pool, [] { return 0; }), kLong).Get(), kLong);
}

TEST(LongChain, OfATaskThatThrows) {
  ThreadPool pool(0);
  EXPECT_THROW(
      Continue(Async(pool, []() -> int { throw std::runtime_error("first"); }),
               20000)
          .Get(),
      std::runtime_error);
}

TEST(LongChain, ThatNobodyWaitsFor) {
  ThreadPool pool(0);
  int last = 0;
  static_cast<void>(
      Continue(Async(pool, [] { return 0; }), kLong).Then([&last](int n) {
        last = n;
      }));
  pool.WaitForAll();
  EXPECT_EQ(last, kLong);
}

// Continuations that are made, awaited, dropped and cancelled at any moment.
TEST(ContinuationStress, EachIsCalledOnceOrCancelled) {
  constexpr int kRounds = 2000;
  const auto pool = MakeEagerPool(2);
  std::atomic<int> called{0};
  std::atomic<int> cancelled{0};
  std::atomic<int> made{0};
  RunInThreads(4, [&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      Future<int> future = Async(*pool, [] { return 0; });
      const int links = (round + thread) % 5;
      for (int link = 0; link < links; ++link) {
        if ((round >> link) % 3 == 0) std::this_thread::yield();
        future = future.Then([&called](int n) {
          ++called;
          return n + 1;
        });
        ++made;
      }
      switch (round % 4) {
        case 0:
          EXPECT_EQ(future.Get(), links);
          break;
        case 1:
          if (links > 0 && future.Cancel()) {
            ++cancelled;
            EXPECT_THROW(future.Get(), TaskCancelled);
          }
          break;
        case 2:
          future.WaitFor(std::chrono::microseconds(round % 50));
          break;
        default:
          break;
      }
    }
  });
  pool->WaitForAll();
  EXPECT_EQ(called + cancelled, made);
}

}  // namespace
}  // namespace ceres::parallel
