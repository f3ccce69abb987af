// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A system that has no thread for the runtime.

#include "ceres/base/platform.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace {
// How many threads the system still has.
std::atomic<int> threads_left{1000};
std::atomic<int> num_refused{0};
}  // namespace

// In the place of the function of the C library, as RLIMIT_NPROC works for
// users other than root.
extern "C" int pthread_create(pthread_t* thread,
                              const pthread_attr_t* attributes,
                              void* (*start)(void*), void* context) {
  using Function =
      int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real =
      reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) > 0) {
    return real(thread, attributes, start, context);
  }
  ++num_refused;
  return EAGAIN;
}

namespace ceres::parallel {
namespace {

class NoThreads : public ::testing::TestWithParam<int> {
 protected:
  NoThreads() {
    num_refused = 0;
    threads_left = GetParam();
  }
  ~NoThreads() override { threads_left = 1000; }
};
INSTANTIATE_TEST_SUITE_P(Left, NoThreads, ::testing::Values(0, 1, 3));

TEST_P(NoThreads, FewAttemptsAreMadeForManyTasks) {
  ThreadPool pool(4);
  pool.SetRunningLimit(16);
  pool.SetSharing(Sharing::kAlways);
  std::atomic<int> runs{0};
  for (int k = 0; k < 20000; ++k) Async(pool, [&runs] { ++runs; }).Get();
  for (int k = 0; k < 2000; ++k) {
    ParallelFor(pool, 0, 2, [&runs](int) { ++runs; });
  }
  TaskGroup group(pool);
  for (int k = 0; k < 1000; ++k) group.Run([&runs] { ++runs; });
  group.Wait();
  for (int k = 0; k < 1000; ++k) Detach(pool, [&runs] { ++runs; });
  pool.WaitForAll();
  EXPECT_EQ(runs, 26000);
  // The pause before the next attempt doubles from 1 ms to 1 s.
  EXPECT_LE(num_refused, 60);
}

TEST_P(NoThreads, WorkersComeWhenThereAreThreadsAgain) {
  ThreadPool pool(1);
  threads_left = 0;
  Detach(pool, [] {});
  pool.WaitForAll();
  EXPECT_GT(num_refused, 0);
  threads_left = 1000;
  std::atomic<bool> in_worker{false};
  EXPECT_TRUE(Eventually([&] {
    Detach(pool, [&] { in_worker = in_worker || pool.IsWorkerThread(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return in_worker.load();
  }));
}

// The first one is the value of f, and each awaits the one before.
template <typename F>
std::vector<Future<int>> MakeChain(ThreadPool& pool, int length, const F& f) {
  std::vector<Future<int>> chain;
  chain.reserve(static_cast<std::size_t>(length));
  chain.push_back(Async(pool, f));
  for (int k = 1; k < length; ++k) {
    chain.push_back(
        Async(pool, [&previous = chain.back()] { return previous.Get() + 1; }));
  }
  return chain;
}

TEST_P(NoThreads, FuturesAwaitEachOtherToAnyDepth) {
  for (const int workers : {0, 2}) {
    ThreadPool pool(workers);
    auto chain = MakeChain(pool, 100000, [] { return 0; });
    EXPECT_EQ(chain.back().Get(), 99999);
    auto thrown = MakeChain(pool, 100000,
                            []() -> int { throw std::runtime_error("first"); });
    EXPECT_THROW(thrown.back().Get(), std::runtime_error);
  }
}

TEST_P(NoThreads, GroupsWaitWithinEachOtherToAnyDepth) {
  ThreadPool pool(0);
  int depth = 0;
  const std::function<void()> nest = [&] {
    if (++depth == 30000) return;
    TaskGroup group(pool);
    group.Run([&nest] { nest(); });
    ParallelFor(pool, 0, 2, [](int) {});
    group.Wait();
  };
  nest();
  EXPECT_EQ(depth, 30000);
}

TEST_P(NoThreads, LoopsAndGraphsAreComplete) {
  const auto pool = MakeEagerPool(3);
  std::atomic<int> runs{0};
  ParallelFor(*pool, 0, 100,
              [&](int) { ParallelFor(*pool, 0, 10, [&](int) { ++runs; }); });
  TaskGraph graph;
  for (int k = 0; k < 100; ++k) graph.Add([&runs] { ++runs; });
  graph.Run(*pool);
  EXPECT_EQ(runs, 1100);
}

}  // namespace
}  // namespace ceres::parallel

#endif
