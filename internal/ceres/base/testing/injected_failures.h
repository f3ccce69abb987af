// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_BASE_TESTING_INJECTED_FAILURES_H_
#define CERES_INTERNAL_BASE_TESTING_INJECTED_FAILURES_H_

#include <atomic>
#include <cstdint>
#include <new>

// Failures of the system that a test injects: of operator new
// (failing_allocations.h) and of pthread_create (failing_threads.h). Without
// these two headers nothing fails.

namespace ceres::parallel::testing_internal {

// A kind of calls of which some fail.
class FailingCalls {
 public:
  // One of `period` calls fails from now on, at random. 0: none.
  void FailOneOf(unsigned period) { period_ = period; }
  // The number of calls that have failed.
  std::int64_t num_failed() const { return num_failed_; }

  // For each call: whether it fails.
  bool FailsNow();

 private:
  std::atomic<unsigned> period_{0};
  std::atomic<std::uint64_t> num_calls_{0};
  std::atomic<std::int64_t> num_failed_{0};
};
inline FailingCalls allocations;
inline FailingCalls thread_starts;

// While it exists, nothing fails in the calling thread. For what the test
// itself allocates.
class NoFailures {
 public:
  NoFailures() { ++Depth(); }
  ~NoFailures() { --Depth(); }
  NoFailures(const NoFailures&) = delete;
  NoFailures& operator=(const NoFailures&) = delete;

  static bool Exists() { return Depth() > 0; }

 private:
  static int& Depth() {
    static thread_local int depth = 0;
    return depth;
  }
};

inline bool FailingCalls::FailsNow() {
  const unsigned period = period_.load(std::memory_order_relaxed);
  if (period == 0 || NoFailures::Exists()) return false;
  const std::uint64_t mixed =
      (num_calls_.fetch_add(1, std::memory_order_relaxed) + 1) *
      0x9E3779B97F4A7C15u;
  if ((mixed >> 32) % period != 0) return false;
  num_failed_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// Calls f until it does not throw std::bad_alloc, and returns its result. A
// failed call that has changed something shows in the end: a task runs twice,
// or is lost.
template <typename F>
auto Insist(const F& f) {
  while (true) {
    try {
      return f();
    } catch (const std::bad_alloc&) {
      if (allocations.num_failed() == 0) throw;
    }
  }
}

// f() without failures.
template <typename F>
auto WithoutFailures(const F& f) {
  const NoFailures none;
  return f();
}

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_BASE_TESTING_INJECTED_FAILURES_H_
