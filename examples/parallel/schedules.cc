// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// How a loop is cut, and by how many threads it is run. Most loops need none of
// this: they find out by themselves.
//
// Prints: sum of the last row: 999.5
// Prints: most steps below 20000: 278
// Prints: pi is about 3.14171
// Prints: hashes in the lowest quarter: 250001 of 1000000

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

// Costs that are known beforehand. Row i of a matrix in compressed rows has i
// entries, so equal numbers of rows are not equal work; row_starts says what
// is.
void AddUpRows(parallel::ThreadPool& pool, const std::vector<int>& row_starts,
               const std::vector<double>& values, std::vector<double>& sums) {
  const int rows = static_cast<int>(row_starts.size()) - 1;
  parallel::ParallelForByCost(pool, 0, rows, row_starts, [&](int row) {
    for (int k = row_starts[row]; k < row_starts[row + 1]; ++k) {
      sums[row] += values[k];
    }
  });
}

// Costs that differ wildly, nobody knows how: blocks of exactly 16 indices, and
// whoever is done with one takes the next.
void CountCollatzSteps(parallel::ThreadPool& pool, std::vector<int>& steps) {
  parallel::LoopOptions options;
  options.schedule = parallel::Schedule::kDynamic;
  options.grain = 16;
  parallel::ParallelFor(
      pool, 1, static_cast<int>(steps.size()),
      [&](int i) {
        for (std::int64_t n = i; n != 1; ++steps[i]) {
          n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        }
      },
      options);
}

// Blocks that are the same each time: with max_threads, they depend on the
// length of the loop alone. So each may have random numbers of its own, costly
// to set up, and the result is the same on every machine.
double EstimatePi(parallel::ThreadPool& pool, int points) {
  parallel::LoopOptions options;
  options.schedule = parallel::Schedule::kStatic;
  options.max_threads = 8;
  std::atomic<int> inside{0};
  parallel::ParallelFor(
      pool, 0, points,
      [&](parallel::BasicIndexRange<int> block) {
        std::mt19937 random(block.begin);
        const auto coordinate = [&random] { return random() / 4294967296.0; };
        int inside_block = 0;
        for (int i = block.begin; i < block.end; ++i) {
          const double x = coordinate();
          const double y = coordinate();
          if (x * x + y * y < 1.0) ++inside_block;
        }
        inside += inside_block;
      },
      options);
  return 4.0 * inside / points;
}

// At most two threads for this loop, however large the pool is: for loops that
// the memory limits, not the cpus, or whose scratch memory is large. Two
// participants need no more than two histograms. (With 1, the loop runs in the
// caller: for debugging.)
std::vector<std::vector<int>> CountHashes(parallel::ThreadPool& pool, int n) {
  std::vector<std::vector<int>> histograms(2, std::vector<int>(1 << 16, 0));
  parallel::LoopOptions options;
  options.max_threads = 2;
  parallel::ParallelFor(
      pool, 0, n,
      [&](parallel::Participant participant, int i) {
        const std::uint32_t hash = static_cast<std::uint32_t>(i) * 2654435769u;
        ++histograms.at(participant)[hash >> 16];
      },
      options);
  return histograms;
}

}  // namespace

int main() {
  parallel::ThreadPool pool(3);
  pool.SetRunningLimit(4);  // Also where there are fewer cpus.

  std::vector<int> row_starts(2001, 0);
  for (int i = 0; i < 2000; ++i) row_starts[i + 1] = row_starts[i] + i;
  const std::vector<double> values(row_starts.back(), 0.5);
  std::vector<double> sums(2000, 0.0);
  AddUpRows(pool, row_starts, values, sums);
  std::cout << "sum of the last row: " << sums.back() << "\n";

  std::vector<int> steps(20000, 0);
  CountCollatzSteps(pool, steps);
  std::cout << "most steps below 20000: "
            << *std::max_element(steps.begin(), steps.end()) << "\n";

  std::cout << "pi is about " << EstimatePi(pool, 1'000'000) << "\n";

  int low = 0;
  for (const std::vector<int>& histogram : CountHashes(pool, 1'000'000)) {
    for (int k = 0; k < 1 << 14; ++k) low += histogram[k];
  }
  std::cout << "hashes in the lowest quarter: " << low << " of 1000000\n";
}
