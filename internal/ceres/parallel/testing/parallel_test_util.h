// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_PARALLEL_TEST_UTIL_H_
#define CERES_INTERNAL_PARALLEL_TESTING_PARALLEL_TEST_UTIL_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

// Helpers for tests of the runtime.

namespace ceres::parallel {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// A pool whose workers all run, on any number of CPUs, and join every loop.
inline std::unique_ptr<ThreadPool> MakeEagerPool(int num_workers) {
  auto pool = std::make_unique<ThreadPool>(num_workers);
  pool->SetRunningLimit(4096);
  pool->SetSharing(Sharing::kAlways);
  return pool;
}

// Waits until condition() holds. False: it did not hold within a generous time.
template <typename Condition>
bool Eventually(const Condition& condition) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

// A barrier for threads that each run one index of a loop. An index takes a
// tenth of a millisecond before it arrives. At a place in the source that is
// known for short indices, one thread would take several indices and wait in
// the first of them for the others. The last thread to arrive would teach the
// place just that.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads) {}

  // Whether all threads have arrived within a generous time.
  bool Attend() {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    arrived_.fetch_add(1);
    return Eventually([this] { return arrived_ == threads_; });
  }

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
};

// A test that runs with every number of workers, with an eager pool and with a
// default one.
struct PoolKind {
  int num_workers;
  bool eager;
};

class ForEachPool : public ::testing::TestWithParam<PoolKind> {
 protected:
  ForEachPool()
      : pool_(GetParam().eager
                  ? MakeEagerPool(GetParam().num_workers)
                  : std::make_unique<ThreadPool>(GetParam().num_workers)) {}

  int num_workers() const { return GetParam().num_workers; }
  ThreadPool& pool() { return *pool_; }

 private:
  std::unique_ptr<ThreadPool> pool_;
};

inline std::vector<PoolKind> AllPools() {
  std::vector<PoolKind> kinds;
  for (const int workers : {0, 1, 2, 4, 8, 64}) {
    kinds.push_back({workers, true});
    kinds.push_back({workers, false});
  }
  return kinds;
}

inline std::string PoolName(const ::testing::TestParamInfo<PoolKind>& info) {
  return std::to_string(info.param.num_workers) + "Workers" +
         (info.param.eager ? "Eager" : "");
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_PARALLEL_TEST_UTIL_H_
