// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A search that ends when something is found, and one that ends in time.
//
// Prints: takes 350 steps
// Prints: no number with 100000 steps in 50 ms

#include "ceres/parallel/cancellation.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

// Steps until the rule "halve, or triple and add one" arrives at 1.
int CollatzSteps(std::uint64_t n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

// Some number with that many steps, not always the same one; 0 if none was
// found in time.
std::uint64_t FindSteps(parallel::ThreadPool& pool, int steps,
                        std::chrono::milliseconds timeout) {
  parallel::CancellationSource source(timeout);
  parallel::LoopOptions options;
  options.token = source.token();
  std::atomic<std::uint64_t> found{0};
  const parallel::Status status = parallel::ParallelFor(
      pool, std::uint64_t{1}, std::uint64_t{1} << 40,
      [&](std::uint64_t n) {
        if (CollatzSteps(n) == steps) {
          found = n;
          source.Cancel();
        }
      },
      options);
  if (status == parallel::Status::kDeadlineExceeded) {
    std::cout << "no number with " << steps << " steps in " << timeout.count()
              << " ms\n";
  }
  return found;
}

}  // namespace

int main() {
  parallel::ThreadPool& pool = parallel::ThreadPool::Default();
  const std::uint64_t n = FindSteps(pool, 350, std::chrono::seconds(10));
  if (n != 0) std::cout << n << " takes " << CollatzSteps(n) << " steps\n";
  FindSteps(pool, 100000, std::chrono::milliseconds(50));
}
