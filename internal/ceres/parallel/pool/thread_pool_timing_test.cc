// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Properties of a pool that only real time shows.

#include <chrono>
#include <ctime>
#include <memory>
#include <thread>

#include "ceres/base/platform.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

#if defined(CERES_SYSTEM_LINUX)
TEST(ThreadPool, UsesNoCpuWhenIdle) {
  const auto pool = std::make_unique<ThreadPool>(4);
  pool->SetRunningLimit(5);
  for (int run = 0; run < 20; ++run) {
    ParallelFor(*pool, 0, 200, [](int) {
      std::this_thread::sleep_for(std::chrono::microseconds(10));
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto cpu_seconds = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * time.tv_nsec;
  };
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpu_seconds() - before, 0.002);
}
#endif

}  // namespace
}  // namespace ceres::parallel
