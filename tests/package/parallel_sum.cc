// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A user's program that uses the parallel runtime and nothing else.

#include <ceres/parallel/parallel_for.h>
#include <ceres/parallel/thread_pool.h>

#include <vector>

int main() {
  constexpr int kCount = 100000;
  ceres::parallel::ThreadPool pool(2);
  std::vector<int> hits(kCount, 0);
  ceres::parallel::ParallelFor(pool, 0, kCount, [&](int i) { ++hits[i]; });
  for (const int hit : hits) {
    if (hit != 1) return 1;
  }
  return 0;
}
