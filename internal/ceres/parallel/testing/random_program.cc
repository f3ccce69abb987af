// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/testing/random_program.h"

#include <cstdint>
#include <functional>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"

// The choice of a piece, and pieces that are loops, reductions and forks.

namespace ceres::parallel {

void RandomProgram::Run(std::uint64_t seed, int depth) {
  if (depth <= 0) return;
  const std::int64_t left = left_.fetch_sub(1, std::memory_order_relaxed);
  if (left <= 1 && at_last_piece_ && HeldLock::NumHeldByThisThread() == 0) {
    at_last_piece_();
  }
  if (left <= 0) return;
  Random random(seed);
  switch (random() % 12) {
    case 0:
    case 1:
      return Loop(&random, seed, depth);
    case 2:
      return Reduction(&random, seed, depth);
    case 3:
      return Forks(seed, depth);
    case 4:
      return AsyncLoop(&random, seed, depth);
    case 5:
      return DetachOne(seed, depth);
    case 6:
      return Graph(&random, seed, depth);
    case 7:
      return Futures(&random, seed, depth);
    case 8:
    case 9:
      return LockAcrossWait(&random, seed, depth);
    default:
      return Group(&random, seed, depth);
  }
}

void RandomProgram::Loop(Random* random, std::uint64_t seed, int depth) {
  const Operation operation("loop", seed);
  const int n = static_cast<int>((*random)() % 40);
  Brake brake(random);
  Ledger ledger(n);
  const CancellationToken token = brake.source.token();
  LoopOptions options;
  options.max_threads = static_cast<int>((*random)() % 9);
  options.grain = 1 + static_cast<std::int64_t>((*random)() % 3);
  options.schedule = static_cast<Schedule>((*random)() % 3);
  if (brake.can_stop) options.token = token;
  const Ending ending = EndingOf([&] {
    return OnSomeHost(random, [&](auto& host) {
      return InsistOnAll(ledger, seed, [&] {
        return ParallelFor(
            host, 0, n,
            [&](int i) {
              brake.At(i);
              ledger.Visit(i);
              Nest(seed, i, depth);
            },
            options);
      });
    });
  });
  CheckEnding(ending, ledger, brake, seed);
}

void RandomProgram::Reduction(Random* random, std::uint64_t seed, int depth) {
  const Operation operation("reduction", seed);
  const int n = 1 + static_cast<int>((*random)() % 100);
  Ledger ledger(n);
  const std::int64_t sum = OnSomeHost(random, [&](auto& host) {
    return InsistOnAll(ledger, seed, [&] {
      return ParallelReduce(
          host, 0, n, std::int64_t{0},
          [&](int i) {
            if (i % 4 == 0) Nest(seed, i, depth);
            ledger.Visit(i);
            return std::int64_t{i};
          },
          [](std::int64_t a, std::int64_t b) { return a + b; });
    });
  });
  Check(ledger.AllOnce(), "a part of a sum did not run once", seed);
  Check(sum == std::int64_t{n} * (n - 1) / 2, "a sum is wrong", seed);
}

void RandomProgram::Forks(std::uint64_t seed, int depth) {
  const Operation operation("forks", seed);
  const bool bad = seed % 16 == 1;
  int calls[4] = {0, 0, 0, 0};
  const auto branch = [&](int k) {
    ++calls[k];
    Nest(seed, k, depth);
  };
  bool threw = false;
  try {
    Insist([&] {
      ParallelInvoke(
          pool_, [&] { branch(0); },
          [&] {
            branch(1);
            if (bad) throw Thrown();
          },
          [&] { branch(2); }, [&] { branch(3); });
    });
  } catch (const Thrown&) {
    threw = true;
  }
  Check(threw == bad, "a fork's exception is wrong", seed);
  Check(calls[0] == 1 && calls[1] == 1 && calls[2] <= 1 && calls[3] <= 1 &&
            (bad || (calls[2] == 1 && calls[3] == 1)),
        "a branch did not run once", seed);
}

void RandomProgram::AsyncLoop(Random* random, std::uint64_t seed, int depth) {
  const Operation operation("asynchronous loop", seed);
  Ledger ledger(20);
  Future<Status> loop = Insist([&] {
    return Async(pool_, [this, &ledger, seed, depth] {
      return ParallelFor(pool_, 0, 20, [&](int i) {
        ledger.Visit(i);
        Nest(seed, i, depth);
      });
    });
  });
  const int n = static_cast<int>((*random)() % 1000);
  Future<std::int64_t> sum = Insist([&] {
    return Async(pool_, [this, n] {
      return ParallelReduce(
          pool_, 0, n, std::int64_t{0}, [](int i) { return std::int64_t{i}; },
          std::plus<>());
    });
  });
  Nest(seed, 20, depth);
  Check(sum.Get() == std::int64_t{n} * (n - 1) / 2, "a sum is wrong", seed);
  Check(loop.Get() == Status::kCompleted && ledger.AllOnce(),
        "an asynchronous loop is not complete", seed);
}

}  // namespace ceres::parallel
