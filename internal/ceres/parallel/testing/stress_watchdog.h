// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_STRESS_WATCHDOG_H_
#define CERES_INTERNAL_PARALLEL_TESTING_STRESS_WATCHDOG_H_

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "ceres/base/platform.h"

// For stress tests: a log of what each thread does, and a watchdog that prints
// the log and aborts when no operation ends any more.

namespace ceres::parallel {

// The operations that a thread has begun and not ended, outermost first.
struct OperationLog {
  static constexpr int kMaxDepth = 24;
  struct Entry {
    std::atomic<const char*> what{nullptr};
    std::atomic<std::uint64_t> seed{0};
  };
  std::atomic<bool> used{false};
  std::atomic<int> depth{0};  // May be more than there are entries.
  std::array<Entry, kMaxDepth> entries;
};

class OperationLogs {
 public:
  static constexpr int kMaxThreads = 512;

  // Null for threads beyond the limit.
  static OperationLog* OfThisThread() {
    return platform::ObjectOfThisThread<Owner>().log;
  }

  // Operations that have ended in the process.
  static std::atomic<std::uint64_t>& NumEnded() {
    static std::atomic<std::uint64_t> num_ended{0};
    return num_ended;
  }

  static void Print(std::FILE* out) {
    for (int k = 0; k < kMaxThreads; ++k) {
      const OperationLog& log = All()[k];
      if (!log.used.load()) continue;
      const int depth = log.depth.load();
      std::fprintf(out, "  thread %d, %d deep:", k, depth);
      for (int d = 0; d < depth && d < OperationLog::kMaxDepth; ++d) {
        std::fprintf(
            out, " %s(%llx)", log.entries[d].what.load(),
            static_cast<unsigned long long>(log.entries[d].seed.load()));
      }
      std::fprintf(out, "\n");
    }
  }

 private:
  struct Owner {
    Owner() {
      for (int k = 0; k < kMaxThreads; ++k) {
        if (!All()[k].used.exchange(true)) {
          log = &All()[k];
          return;
        }
      }
    }
    ~Owner() {
      if (log != nullptr) log->used.store(false);
    }
    OperationLog* log = nullptr;
  };

  static OperationLog* All() {
    static auto* const logs = new OperationLog[kMaxThreads];
    return logs;
  }
};

// An operation, in a stack frame while it goes on. `what` is a literal.
class Operation {
 public:
  Operation(const char* what, std::uint64_t seed)
      : log_(OperationLogs::OfThisThread()) {
    if (log_ == nullptr) return;
    const int depth = log_->depth.load(std::memory_order_relaxed);
    if (depth < OperationLog::kMaxDepth) {
      log_->entries[depth].what.store(what, std::memory_order_relaxed);
      log_->entries[depth].seed.store(seed, std::memory_order_relaxed);
    }
    log_->depth.store(depth + 1, std::memory_order_relaxed);
  }
  ~Operation() {
    OperationLogs::NumEnded().fetch_add(1, std::memory_order_relaxed);
    if (log_ == nullptr) return;
    log_->depth.store(log_->depth.load(std::memory_order_relaxed) - 1,
                      std::memory_order_relaxed);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

 private:
  OperationLog* const log_;
};

// Aborts when no operation has ended for `patience`. Prints the operations of
// all threads and the result of `describe` before.
class Watchdog {
 public:
  Watchdog(std::chrono::seconds patience, std::function<std::string()> describe)
      : patience_(patience),
        describe_(std::move(describe)),
        thread_([this] { Watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    condition_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    std::uint64_t seen = OperationLogs::NumEnded().load();
    while (!condition_.wait_for(lock, patience_, [this] { return stop_; })) {
      const std::uint64_t now = OperationLogs::NumEnded().load();
      if (now == seen) Report();
      seen = now;
    }
  }

  [[noreturn]] void Report() {
    std::fprintf(stderr, "Nothing has ended for %lld s. What goes on:\n",
                 static_cast<long long>(patience_.count()));
    OperationLogs::Print(stderr);
    std::fprintf(stderr, "%s\n", describe_().c_str());
    std::abort();
  }

  const std::chrono::seconds patience_;
  const std::function<std::string()> describe_;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_STRESS_WATCHDOG_H_
