// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Everything on threads that an application brings along: those of oneTBB,
// where it is installed, plain ones, and hosts that are of no help.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/executor.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/promise.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/when.h"
#include "gtest/gtest.h"

#if defined(VESTA_HAVE_TBB)
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#endif

namespace ceres::parallel {
namespace {

using std::chrono::microseconds;

#if defined(VESTA_HAVE_TBB)
// Threads of an arena. They are lent until they find nothing to do; the end of
// the host waits for them.
class TbbHost final : public Executor {
 public:
  ~TbbHost() override {
    arena_.execute([this] { group_->wait(); });
  }
  int MaxConcurrency() const override { return arena_.max_concurrency(); }
  bool Invite(Invitation invitation) override {
    arena_.execute([this, invitation] { group_->run(invitation); });
    return true;
  }

 private:
  tbb::task_arena arena_{4};
  // Its destructor may throw, a host's may not.
  std::unique_ptr<tbb::task_group> group_ = std::make_unique<tbb::task_group>();
};
#endif

struct HostKind {
  std::string name;
  std::function<std::unique_ptr<Executor>()> make;
};

std::vector<HostKind> AllHosts() {
  std::vector<HostKind> kinds = {
      {"Threads", [] { return std::make_unique<QueueHost>(microseconds(0)); }},
      {"SlowThreads",
       [] { return std::make_unique<QueueHost>(microseconds(2000)); }},
      {"Refusing", [] { return std::make_unique<RefusingHost>(); }},
      {"Inline", [] { return std::make_unique<InlineHost>(); }},
      {"Late", [] { return std::make_unique<KeepingHost>(); }},
  };
#if defined(VESTA_HAVE_TBB)
  kinds.push_back({"Tbb", [] { return std::make_unique<TbbHost>(); }});
#endif
  return kinds;
}

class OnEveryHost : public ::testing::TestWithParam<HostKind> {
 protected:
  OnEveryHost() : host_(GetParam().make()) {}
  Executor& host() { return *host_; }

 private:
  std::unique_ptr<Executor> host_;
};

INSTANTIATE_TEST_SUITE_P(Hosts, OnEveryHost, ::testing::ValuesIn(AllHosts()),
                         [](const ::testing::TestParamInfo<HostKind>& info) {
                           return info.param.name;
                         });

void Pause() { std::this_thread::sleep_for(microseconds(30)); }

TEST_P(OnEveryHost, LoopsNest) {
  std::vector<std::atomic<int>> calls(20 * 20);
  EXPECT_EQ(ParallelFor(host(), 0, 20,
                        [&](int i) {
                          ParallelFor(host(), 0, 20, [&](int k) {
                            Pause();
                            calls[20 * i + k].fetch_add(1);
                          });
                        }),
            Status::kCompleted);
  for (const auto& count : calls) ASSERT_EQ(count, 1);
}

TEST_P(OnEveryHost, ReductionsAreThoseOfOneThread) {
  const auto sum = [](Executor& executor) {
    return ParallelReduce(
        executor, 0, 100000, 0.0, [](int i) { return 1.0 / (i + 1); },
        [](double a, double b) { return a + b; });
  };
  SerialExecutor serial;
  EXPECT_EQ(sum(host()), sum(serial));
}

TEST_P(OnEveryHost, ForksAreARecursion) {
  const std::function<int(int)> fibonacci = [&](int n) -> int {
    if (n < 2) return n;
    int a = 0;
    int b = 0;
    ParallelInvoke(
        host(), [&] { a = fibonacci(n - 1); }, [&] { b = fibonacci(n - 2); });
    return a + b;
  };
  EXPECT_EQ(fibonacci(16), 987);
  std::atomic<int> calls{0};
  const auto slow = [&calls] {
    Pause();
    ++calls;
  };
  ParallelInvoke(host(), slow, slow, slow, slow, slow);
  EXPECT_EQ(calls, 5);
}

// As on a pool: the exception of the first function wins, and the first
// function is always called.
TEST_P(OnEveryHost, ForksRethrow) {
  for (int round = 0; round < 50; ++round) {
    int first_calls = 0;
    EXPECT_THROW(ParallelInvoke(
                     host(), [&] { ++first_calls; },
                     [] { throw std::out_of_range("second"); }),
                 std::out_of_range);
    EXPECT_EQ(first_calls, 1);
    EXPECT_THROW(ParallelInvoke(
                     host(), [] { throw std::runtime_error("first"); },
                     [] { throw std::out_of_range("second"); }),
                 std::runtime_error);
  }
}

TEST_P(OnEveryHost, PromisesAndWhenAllWork) {
  for (int round = 0; round < 20; ++round) {
    Promise<int> promise(host());
    std::vector<Future<int>> futures;
    futures.push_back(promise.GetFuture().Then([](int x) { return x + 1; }));
    for (int k = 0; k < 5; ++k) {
      futures.push_back(Async(host(), [k] {
        Pause();
        return k;
      }));
    }
    std::thread setter([&promise] { promise.SetValue(9); });
    Future<int> sum =
        WhenAll(std::move(futures)).Then([](std::vector<Future<int>> all) {
          int total = 0;
          for (Future<int>& future : all) total += future.Get();
          return total;
        });
    EXPECT_EQ(sum.Get(), 20);
    setter.join();
  }
}

TEST_P(OnEveryHost, FuturesWaitForFutures) {
  const std::function<int(int)> fibonacci = [&](int n) -> int {
    if (n < 2) return n;
    Future<int> first = Async(host(), fibonacci, n - 1);
    const int second = fibonacci(n - 2);
    return first.Get() + second;
  };
  EXPECT_EQ(fibonacci(12), 144);
}

TEST_P(OnEveryHost, GroupsNest) {
  std::atomic<int> calls{0};
  TaskGroup group(host());
  for (int i = 0; i < 20; ++i) {
    group.Run([&] {
      TaskGroupOptions options;
      options.max_threads = 2;
      TaskGroup inner(host(), options);
      for (int k = 0; k < 20; ++k) {
        inner.Run([&] {
          Pause();
          calls.fetch_add(1);
        });
      }
      inner.Wait();
    });
  }
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(calls, 400);
}

TEST_P(OnEveryHost, GraphsRunInOrderAgainAndAgain) {
  constexpr int kNodes = 200;
  std::vector<int> runs(kNodes);
  TaskGraph graph;
  std::vector<TaskGraph::Task> tasks;
  std::atomic<bool> in_order{true};
  for (int i = 0; i < kNodes; ++i) {
    tasks.push_back(graph.Add([&, i] {
      ++runs[i];
      for (int p : {i / 2, i / 3}) {
        if (p < i && runs[p] != runs[i]) in_order = false;
      }
      if (i % 10 == 0) Pause();
    }));
    for (int p : {i / 2, i / 3}) {
      if (p < i) tasks[i].Succeed(tasks[p]);
    }
  }
  for (int run = 1; run <= 5; ++run) {
    EXPECT_EQ(graph.Run(host()), Status::kCompleted);
    for (const int r : runs) ASSERT_EQ(r, run);
  }
  EXPECT_TRUE(in_order);
}

TEST_P(OnEveryHost, ExceptionsReachTheWaiter) {
  const auto fail = [](int i) {
    if (i == 7) throw std::runtime_error("seven");
  };
  EXPECT_THROW(ParallelFor(host(), 0, 20, fail), std::runtime_error);
  EXPECT_THROW(Async(host(), fail, 7).Get(), std::runtime_error);
  TaskGroup group(host());
  for (int i = 0; i < 10; ++i) group.Run(fail, i);
  EXPECT_THROW(group.Wait(), std::runtime_error);
  TaskGraph graph;
  graph.Add([&] { fail(7); });
  EXPECT_THROW(graph.Run(host()), std::runtime_error);
}

TEST(InlineHost, RunsDeepGraphsInABoundedStack) {
  InlineHost host;
  constexpr int kNodes = 200000;
  std::atomic<int> calls{0};
  TaskGraph graph;
  TaskGraph::Task last;
  // A chain, each of whose tasks is behind a leaf.
  for (int i = 0; i < kNodes; ++i) {
    const TaskGraph::Task leaf = graph.Add([&] {
      const auto end = std::chrono::steady_clock::now() + microseconds(3);
      while (std::chrono::steady_clock::now() < end) {
      }
      calls.fetch_add(1);
    });
    const TaskGraph::Task next = graph.Add([&] { calls.fetch_add(1); });
    if (last) last.Precede(leaf, next);
    last = next;
  }
  EXPECT_EQ(graph.Run(host), Status::kCompleted);
  EXPECT_EQ(calls, 2 * kNodes);
}

TEST(KeepingHost, InvitationsAfterTheEndOfGraphAndHostDoNothing) {
  std::vector<Invitation> old;
  {
    KeepingHost host;
    TaskGraph graph;
    for (int i = 0; i < 100; ++i) graph.Add([] { Pause(); });
    EXPECT_EQ(graph.Run(host), Status::kCompleted);
    TaskGroup group(host);
    for (int i = 0; i < 10; ++i) group.Run([] {});
    group.Wait();
    old = host.TakeAll();
  }
  EXPECT_FALSE(old.empty());
  for (const Invitation& invitation : old) EXPECT_FALSE(invitation.Accept());
}

}  // namespace
}  // namespace ceres::parallel
