// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <chrono>
#include <iostream>
#include <thread>

#include "ceres/parallel/parallel.h"

namespace parallel = ceres::parallel;

int main() {
  parallel::ThreadPoolOptions options;
  options.num_workers = 32;
  options.tasks_block = true;
  parallel::ThreadPool downloads(options);

  parallel::TaskGroup group(downloads);
  for (int i = 0; i < 32; ++i) {
    group.Run(
        [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  }
  const bool completed = group.Wait() == parallel::Status::kCompleted;
  std::cout << (completed ? "32 tasks have slept\n" : "stopped\n");
}
