// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_TEST_THREADS_H_
#define CERES_INTERNAL_PARALLEL_TESTING_TEST_THREADS_H_

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

// Helpers for tests with several threads.

namespace ceres::parallel {

class Gate {
 public:
  void Open() { is_open_ = true; }
  // Waits for Open. A test in which it takes too long fails.
  void Pass() const {
    EXPECT_TRUE(Eventually([this] { return is_open_.load(); }));
  }

 private:
  std::atomic<bool> is_open_{false};
};

// Holds up a task until the test releases it.
class Hold {
 public:
  // Call it in the task.
  void Stay() {
    begun_.Open();
    released_.Pass();
  }
  // Waits until the task is here.
  void AwaitTask() const { begun_.Pass(); }
  void Release() { released_.Open(); }

 private:
  Gate begun_;
  Gate released_;
};

// Calls f(0), ..., f(n - 1), each in a thread of its own, and waits for their
// ends.
template <typename F>
void RunInThreads(int n, const F& f) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) threads.emplace_back([&f, k] { f(k); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_TEST_THREADS_H_
