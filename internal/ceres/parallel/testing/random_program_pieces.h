// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_PIECES_H_
#define CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_PIECES_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "ceres/base/testing/injected_failures.h"
#include "ceres/parallel/cancellation.h"

// Records of the pieces of a random program: how often each part ran, how a
// piece may be stopped, which part throws, which closures exist.

namespace ceres::parallel::random_program {

using testing_internal::Insist;
using testing_internal::WithoutFailures;

// Needs no memory of operator new.
struct Thrown : std::exception {
  const char* what() const noexcept override {
    return "thrown by a random program";
  }
};

enum class Ending { kCompleted, kStopped, kThrew };

// Counts the calls of each index. Not atomic: an index that two threads visit
// is a data race.
struct Ledger {
  explicit Ledger(int n)
      : calls(WithoutFailures(
            [n] { return std::vector<int>(static_cast<std::size_t>(n)); })) {}
  void Visit(int i) { ++calls[static_cast<std::size_t>(i)]; }
  bool AllOnce() const {
    return std::all_of(calls.begin(), calls.end(),
                       [](int c) { return c == 1; });
  }
  bool None() const {
    return std::all_of(calls.begin(), calls.end(),
                       [](int c) { return c == 0; });
  }
  bool NoneTwice() const {
    return std::all_of(calls.begin(), calls.end(),
                       [](int c) { return c <= 1; });
  }
  std::vector<int> calls;
};

// A deadline, a cancellation or an exception that may stop a piece before its
// end.
struct Brake {
  explicit Brake(std::mt19937_64* random)
      : source(Insist([] { return CancellationSource(); })) {
    const std::uint64_t kind = (*random)() % 12;
    if (kind == 0) {
      const std::chrono::microseconds timeout((*random)() % 200);
      source = Insist([&] { return CancellationSource(timeout); });
      can_stop = true;
    } else if (kind == 1) {
      cancel_at = static_cast<int>((*random)() % 40);
      can_stop = true;
    }
    throw_at = (*random)() % 12 == 0 ? static_cast<int>((*random)() % 40) : -1;
  }
  // Call it at the beginning of part i.
  void At(int i) {
    if (i == cancel_at) source.Cancel();
    if (i == throw_at) throw Thrown();
  }
  CancellationSource source;
  bool can_stop = false;
  int cancel_at = -1;
  int throw_at;
};

// Returns what is wrong with the ending of the parts in the ledger, or null.
inline const char* WhatIsWrong(Ending ending, const Ledger& ledger,
                               const Brake& brake) {
  const int n = static_cast<int>(ledger.calls.size());
  const bool bad = brake.throw_at >= 0 && brake.throw_at < n;
  if (!ledger.NoneTwice()) return "a piece ran twice";
  switch (ending) {
    case Ending::kCompleted:
      if (!ledger.AllOnce()) return "completed, but a piece did not run";
      return bad ? "an exception did not arrive" : nullptr;
    case Ending::kStopped:
      return brake.can_stop ? nullptr : "stopped by nobody";
    case Ending::kThrew:
      return bad ? nullptr : "an exception came from nowhere";
  }
  return "no such ending";
}

// A lock that its owner may hold across a wait. If a thread locks it twice, the
// thread has run work that nobody waits for while it waited. Such a thread is
// counted and does not deadlock.
class HeldLock {
 public:
  // False if the calling thread holds it already.
  [[nodiscard]] bool Lock() {
    if (holder_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
      return false;
    }
    mutex_.lock();
    ++NumHeldByThisThread();
    holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    return true;
  }
  void Unlock() {
    --NumHeldByThisThread();
    holder_.store(std::thread::id(), std::memory_order_relaxed);
    mutex_.unlock();
  }

  static int& NumHeldByThisThread() {
    thread_local int held = 0;
    return held;
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_{};
};

// A member of a closure that counts the existing closures, and knows whether
// the closure has been moved.
class CountedClosure {
 public:
  explicit CountedClosure(std::atomic<std::int64_t>* count) : count_(count) {
    Add(1);
  }
  CountedClosure(const CountedClosure& other)
      : count_(other.count_), was_moved_(other.was_moved_) {
    Add(1);
  }
  CountedClosure(CountedClosure&& other) noexcept
      : count_(other.count_), was_moved_(other.was_moved_) {
    Add(1);
    other.was_moved_ = true;
  }
  CountedClosure& operator=(const CountedClosure&) = delete;
  ~CountedClosure() { Add(-1); }

  // If so, the closure is elsewhere.
  bool was_moved() const { return was_moved_; }

 private:
  void Add(int change) const {
    count_->fetch_add(change, std::memory_order_relaxed);
  }
  std::atomic<std::int64_t>* count_;
  bool was_moved_ = false;
};

}  // namespace ceres::parallel::random_program

#endif  // CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_PIECES_H_
