// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_H_
#define CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/testing/random_program_pieces.h"
#include "ceres/parallel/testing/stress_watchdog.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

using testing_internal::Insist;
using testing_internal::WithoutFailures;

// A program made of all pieces that the runtime offers, nested at random. Each
// piece checks its own result and counts a failure. If tasks may be dropped,
// each runs at most once, and its closure is destroyed exactly once. Needs no
// test framework, because children of a fork run it.
//
// If allocations fail (injected_failures.h), each call of the runtime is
// repeated until it has the memory that it needs. A call that throws and has
// changed something therefore shows as a failure.
//
// Several threads may call all functions at once.
class RandomProgram {
 public:
  // Sometimes runs a piece on one of `hosts` instead of the pool. Runs `pieces`
  // pieces.
  RandomProgram(ThreadPool& pool, std::vector<Executor*> hosts,
                std::int64_t pieces)
      : pool_(pool), hosts_(std::move(hosts)), left_(pieces) {
    Insist([this] {
      pool_.SetExceptionHandler([this](const std::exception_ptr&) {
        num_handled_.fetch_add(1, std::memory_order_relaxed);
      });
    });
  }

  bool IsDone() const { return left_.load(std::memory_order_relaxed) <= 0; }
  int num_failures() const { return num_failures_; }
  std::int64_t num_thrown() const { return num_thrown_; }

  // Sets an executor that forwards to the pool and gets some of the detached
  // tasks. Call it before the first piece.
  void SetForwarding(ForwardingHost* forwarding) { forwarding_ = forwarding; }

  // Sets a function that each thread calls when it begins the last piece or a
  // later one, at any depth of nesting, if it holds no lock. Call it before the
  // first piece.
  void SetAtLastPiece(std::function<void()> at_last_piece) {
    at_last_piece_ = std::move(at_last_piece);
  }

  // Runs one random piece, which nests. The calling thread works for no region.
  void RunOutermost(std::uint64_t seed) {
    if (seed % 16 == 3) {
      UntilCondition(seed);
    } else {
      Run(seed, kDepth);
    }
  }

  // Waits for detached tasks, and checks the totals. Call it when all threads
  // have ended.
  void Finish() {
    const Operation operation("WaitForAll", 0);
    pool_.WaitForAll();
    Check(num_detached_ == num_detached_run_, "a detached task is lost", 0);
    Check(num_detached_bad_ == num_handled_, "an exception is lost", 0);
    Check(num_closures_ == 0, "a closure is not destroyed, or twice", 0);
  }

 private:
  using Random = std::mt19937_64;
  using Micros = std::chrono::microseconds;
  using Brake = random_program::Brake;
  using Counted = random_program::CountedClosure;
  using Ending = random_program::Ending;
  using HeldLock = random_program::HeldLock;
  using Ledger = random_program::Ledger;
  using Thrown = random_program::Thrown;
  static constexpr int kDepth = 3;
  static constexpr int kMostWaits = 6;  // Of RunAndWait.

  void Check(bool holds, const char* what, std::uint64_t seed) {
    if (holds) return;
    num_failures_.fetch_add(1);
    std::fprintf(stderr, "random program: %s, seed %llx\n", what,
                 static_cast<unsigned long long>(seed));
  }

  // Repeats run() if it throws std::bad_alloc: then no part may have begun.
  template <typename F>
  auto InsistOnAll(const Ledger& ledger, std::uint64_t seed, const F& run) {
    return Insist([&] {
      try {
        return run();
      } catch (const std::bad_alloc&) {
        Check(ledger.None(), "a call without memory has begun", seed);
        throw;
      }
    });
  }

  template <typename F>
  Ending EndingOf(const F& run) {
    try {
      return run() == Status::kCompleted ? Ending::kCompleted
                                         : Ending::kStopped;
    } catch (const Thrown&) {
      num_thrown_.fetch_add(1, std::memory_order_relaxed);
      return Ending::kThrew;
    }
  }

  void CheckEnding(Ending ending, const Ledger& ledger, const Brake& brake,
                   std::uint64_t seed) {
    const char* const wrong =
        random_program::WhatIsWrong(ending, ledger, brake);
    Check(wrong == nullptr, wrong, seed);
  }

  void Nest(std::uint64_t seed, int i, int depth) {
    const std::uint64_t mixed =
        (seed + static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15u;
    if (mixed >> 61 == 0) Run(mixed, depth - 1);
    if (mixed >> 58 == 9) DetachOne(mixed, 0);
    if (mixed >> 52 == 7) std::this_thread::sleep_for(Micros(100));
  }

  // Calls use(host) with the pool or another host.
  template <typename F>
  auto OnSomeHost(Random* random, const F& use) {
    const std::uint64_t number = (*random)() % 4;
    if (number != 0 || hosts_.empty()) return use(pool_);
    return use(*hosts_[(*random)() % hosts_.size()]);
  }

  void Run(std::uint64_t seed, int depth);
  void Loop(Random* random, std::uint64_t seed, int depth);
  void Reduction(Random* random, std::uint64_t seed, int depth);
  void Forks(std::uint64_t seed, int depth);
  void Futures(Random* random, std::uint64_t seed, int depth);
  void AsyncLoop(Random* random, std::uint64_t seed, int depth);
  void Group(Random* random, std::uint64_t seed, int depth);
  void Graph(Random* random, std::uint64_t seed, int depth);
  template <typename Host>
  Ending RunGraph(TaskGraph* graph, Host& host, const CancellationToken& token,
                  Random* random);
  void LockAcrossWait(Random* random, std::uint64_t seed, int depth);
  void RunAndWait(Random* random, int n, const std::function<void(int)>& piece);
  void StartLocker(const std::shared_ptr<HeldLock>& lock, std::uint64_t seed,
                   int depth);
  void DetachOne(std::uint64_t seed, int depth);
  void DetachForwarded(std::uint64_t seed, int depth);
  void UntilCondition(std::uint64_t seed);

  ThreadPool& pool_;
  const std::vector<Executor*> hosts_;
  ForwardingHost* forwarding_ = nullptr;
  std::function<void()> at_last_piece_;
  std::atomic<std::int64_t> left_;
  std::atomic<int> num_failures_{0};
  std::atomic<std::int64_t> num_thrown_{0};
  std::atomic<std::int64_t> num_detached_{0};
  std::atomic<std::int64_t> num_detached_run_{0};
  std::atomic<std::int64_t> num_detached_bad_{0};
  std::atomic<std::int64_t> num_handled_{0};
  std::atomic<std::int64_t> num_closures_{0};
};

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_H_
