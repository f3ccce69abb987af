// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Costs of a pool that can be counted: how often a wait wakes up, and how many
// locks the first use of a pool takes.

#include "ceres/base/platform.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)

#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/testing/test_threads.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace {
thread_local std::int64_t num_locks = 0;
}  // namespace

// In the place of the function of the C library.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Function = int (*)(pthread_mutex_t*);
  static std::atomic<Function> known{nullptr};
  Function real = known.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    known.store(real, std::memory_order_relaxed);
  }
  ++num_locks;
  return real(mutex);
}

namespace ceres::parallel {
namespace {

// How often the calling thread has fallen asleep.
long NumSleeps() {
  rusage usage;
  EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_nvcsw;
}

// A wait that looked every millisecond would sleep 1000 times; a wait whose
// sleeps double, some 10 times.
TEST(PoolCosts, AWaitForALongTaskRarelyWakesUp) {
  ThreadPool pool(1);
  Hold hold;
  Detach(pool, [&] { hold.Stay(); });
  hold.AwaitTask();
  std::thread releaser([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    hold.Release();
  });
  const long before = NumSleeps();
  pool.WaitForAll();
  EXPECT_LE(NumSleeps() - before, 50);
  releaser.join();
}

// The locks that one thread takes for the first use of `num_pools` live pools.
std::int64_t LocksOfFirstUses(std::size_t num_pools) {
  std::vector<std::unique_ptr<ThreadPool>> pools(num_pools);
  for (auto& pool : pools) pool = std::make_unique<ThreadPool>(0);
  std::int64_t locks = 0;
  std::thread([&] {
    const std::int64_t before = num_locks;
    for (auto& pool : pools) Async(*pool, [] {}).Get();
    locks = num_locks - before;
  }).join();
  return locks;
}

TEST(PoolCosts, FirstUsesOfManyPoolsTakeLocksInProportion) {
  const std::int64_t few = LocksOfFirstUses(300);
  const std::int64_t many = LocksOfFirstUses(1200);
  EXPECT_GT(few, 0);
  EXPECT_LE(many, 6 * few) << few << " for 300 pools";
}

}  // namespace
}  // namespace ceres::parallel

#endif
