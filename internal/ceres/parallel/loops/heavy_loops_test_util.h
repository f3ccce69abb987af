// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_HEAVY_LOOPS_TEST_UTIL_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_HEAVY_LOOPS_TEST_UTIL_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

using Work = std::function<void(int)>;

// A thread that enters stays until `threads` threads have entered. A thread
// that runs a whole loop alone would wait in its first index until the
// deadline.
class Company {
 public:
  explicit Company(int threads) : threads_(threads) {}

  void Enter() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      entered_.insert(std::this_thread::get_id());
      if (static_cast<int>(entered_.size()) >= threads_) complete_ = true;
    }
    if (!failed_ && !Eventually([this] { return complete_.load(); })) {
      failed_ = true;
    }
  }
  int size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int>(entered_.size());
  }
  // Whether all threads entered before one of them gave up.
  bool complete() const { return complete_ && !failed_; }

 private:
  const int threads_;
  std::mutex mutex_;
  std::set<std::thread::id> entered_;
  std::atomic<bool> complete_{false};
  std::atomic<bool> failed_{false};
};

// A pool whose workers may all run, however few CPUs there are, and that shares
// a loop only if it pays.
inline std::unique_ptr<ThreadPool> MakePool(int workers) {
  auto pool = std::make_unique<ThreadPool>(workers);
  pool->SetRunningLimit(workers + 1);
  return pool;
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_HEAVY_LOOPS_TEST_UTIL_H_
