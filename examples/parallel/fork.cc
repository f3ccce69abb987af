// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// fork() while other threads run loops: parent and child go on, each with a
// working pool. (Where there is fork().)
//
// Prints: parent: 499999500000, child: 499999500000

#include <atomic>
#include <cstdint>
#include <functional>
#include <iostream>
#include <thread>

#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/thread_pool.h"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace parallel = ceres::parallel;

namespace {

std::int64_t Sum(parallel::ThreadPool& pool) {
  return parallel::ParallelReduce(
      pool, 0, 1'000'000, std::int64_t{0},
      [](int i) { return std::int64_t{i}; }, std::plus<>());
}

// The result of Sum in a child process; -1 if fork() is not available.
std::int64_t SumInChild(parallel::ThreadPool& pool) {
  std::int64_t sum = -1;
#if defined(__unix__) || defined(__APPLE__)
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    // The child has a copy of the pool, without threads; it starts new ones.
    const std::int64_t result = Sum(pool);
    const bool written = write(ends[1], &result, sizeof(result)) > 0;
    _exit(written ? 0 : 1);
  }
  int status = 0;
  const bool ok = child > 0 && waitpid(child, &status, 0) == child &&
                  status == 0 && read(ends[0], &sum, sizeof(sum)) > 0;
  close(ends[0]);
  close(ends[1]);
  return ok ? sum : -1;
#else
  static_cast<void>(pool);
  return sum;
#endif
}

}  // namespace

int main() {
  parallel::ThreadPool pool(2);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) Sum(pool);
  });
  const std::int64_t in_child = SumInChild(pool);
  stop = true;
  busy.join();
  std::cout << "parent: " << Sum(pool) << ", child: " << in_child << "\n";
}
