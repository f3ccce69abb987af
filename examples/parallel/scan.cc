// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Prefix sums: keeps the even numbers of a list, in order, in parallel. Each
// number finds out from an exclusive scan where in the output it belongs.
//
// Prints: kept 500500 of 1000000, the last is 0
// Prints: highest of the first ten: 333

#include <functional>
#include <iostream>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_scan.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

bool Keep(int number) { return number % 2 == 0; }

}  // namespace

int main() {
  parallel::ThreadPool& pool = parallel::ThreadPool::Default();
  constexpr int kCount = 1'000'000;
  std::vector<int> numbers(kCount);
  parallel::ParallelFor(pool, 0, kCount,
                        [&](int i) { numbers[i] = (i * 37) % 1001; });

  std::vector<int> positions(kCount);
  parallel::ParallelFor(pool, 0, kCount,
                        [&](int i) { positions[i] = Keep(numbers[i]); });
  const int kept_last = positions.back();
  // In place: positions[i] becomes the number of kept ones before i.
  parallel::ParallelExclusiveScan(pool, positions.begin(), positions.end(),
                                  positions.begin(), 0);

  std::vector<int> kept(positions.back() + kept_last);
  parallel::ParallelFor(pool, 0, kCount, [&](int i) {
    if (Keep(numbers[i])) kept[positions[i]] = numbers[i];
  });
  std::cout << "kept " << kept.size() << " of " << kCount << ", the last is "
            << kept.back() << "\n";

  // Any associative operation: the running maximum.
  std::vector<int> highest(kCount);
  parallel::ParallelInclusiveScan(pool, numbers.begin(), numbers.end(),
                                  highest.begin(),
                                  [](int a, int b) { return a < b ? b : a; });
  std::cout << "highest of the first ten: " << highest[9] << "\n";
}
