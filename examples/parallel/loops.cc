// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The forms of a parallel loop: the heat equation on a grid, and a sparse
// matrix with rows of very different lengths.
//
// Prints: temperature near the line: 0.0599
// Prints: last row times x: 1999
// Prints: primes below 20000: 2262

#include <cstddef>
#include <iostream>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/parallel_for_each.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

using Grid = std::vector<std::vector<double>>;

// One index a row: how many rows a piece has, the loop finds out itself.
void Diffuse(parallel::ThreadPool& pool, const Grid& before, Grid& after) {
  parallel::ParallelFor(pool, 1, before.size() - 1, [&](std::size_t i) {
    for (std::size_t j = 1; j + 1 < before[i].size(); ++j) {
      after[i][j] = before[i][j] + 0.2 * (before[i - 1][j] + before[i + 1][j] +
                                          before[i][j - 1] + before[i][j + 1] -
                                          4.0 * before[i][j]);
    }
  });
}

// Compressed rows. Row i has i entries, so equal numbers of rows are not equal
// work; row_starts says what is.
void Multiply(parallel::ThreadPool& pool, const std::vector<int>& row_starts,
              const std::vector<double>& values, const std::vector<double>& x,
              std::vector<double>& y) {
  const int rows = static_cast<int>(row_starts.size()) - 1;
  parallel::ParallelForByCost(pool, 0, rows, row_starts, [&](int row) {
    double sum = 0.0;
    for (int k = row_starts[row]; k < row_starts[row + 1]; ++k) {
      sum += values[k] * x[k - row_starts[row]];
    }
    y[row] = sum;
  });
}

}  // namespace

int main() {
  parallel::ThreadPool& pool = parallel::ThreadPool::Default();

  Grid grid(500, std::vector<double>(500, 0.0));
  Grid next = grid;
  // One element at a time; a container says how many there are.
  parallel::ParallelForEach(pool, grid,
                            [](std::vector<double>& row) { row[250] = 1.0; });
  for (int step = 0; step < 100; ++step) {
    Diffuse(pool, grid, next);
    grid.swap(next);
  }
  std::cout << "temperature near the line: " << grid[250][252] << "\n";

  constexpr int kRows = 2000;
  std::vector<int> row_starts(kRows + 1, 0);
  for (int i = 0; i < kRows; ++i) row_starts[i + 1] = row_starts[i] + i;
  const std::vector<double> values(row_starts.back(), 0.5);
  const std::vector<double> x(kRows, 2.0);
  std::vector<double> y(kRows);
  Multiply(pool, row_starts, values, x, y);
  std::cout << "last row times x: " << y.back() << "\n";

  // Scratch memory: one vector per participant, each used by one thread at a
  // time. Blocks of exactly 16 indices, because costs differ at random.
  const int threads = pool.MaxConcurrency();
  std::vector<std::vector<int>> primes(threads);
  parallel::LoopOptions options;
  options.schedule = parallel::Schedule::kDynamic;
  options.grain = 16;
  parallel::ParallelFor(
      pool, 2, 20000,
      [&](int participant, int n) {
        for (int d = 2; d * d <= n; ++d) {
          if (n % d == 0) return;
        }
        primes[participant].push_back(n);
      },
      options);
  std::size_t count = 0;
  for (const std::vector<int>& found : primes) count += found.size();
  std::cout << "primes below 20000: " << count << "\n";
}
