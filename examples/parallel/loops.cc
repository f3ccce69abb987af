// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The forms of a parallel loop: over indices, iterators or a container, by
// single ones or by blocks, and with memory for each participant. (How a loop
// is cut, and by how many threads it is run: schedules.cc.)
//
// Prints: temperature near the line: 0.059972, near its end: 0.0281
// Prints: sum of the scaled matrix: 2664667000
// Prints: spaces: 12500
// Prints: primes below 20000: 2262

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "ceres/parallel/parallel_for.h"
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

Grid Heat(parallel::ThreadPool& pool) {
  Grid grid(500, std::vector<double>(500, 0.0));
  // One element at a time; a container says how many there are.
  parallel::ParallelFor(pool, grid,
                        [](std::vector<double>& row) { row[250] = 1.0; });
  // A part of a container, by iterators.
  parallel::ParallelFor(pool, grid.begin() + 300, grid.end(),
                        [](std::vector<double>& row) { row[250] = 0.0; });
  Grid next = grid;
  for (int step = 0; step < 100; ++step) {
    Diffuse(pool, grid, next);
    grid.swap(next);
  }
  return grid;
}

// A body for blocks of indices prepares something once for each block and not
// for each index. Here the entries of a matrix in compressed rows are scaled by
// row: the row of the first entry is searched for, that of the next ones is
// close by. So blocks have equally many entries, however long the rows are.
void ScaleRows(parallel::ThreadPool& pool, const std::vector<int>& row_starts,
               std::vector<int>& values) {
  parallel::ParallelFor(
      pool, 0, row_starts.back(), [&](parallel::IndexRange block) {
        auto row_end =
            std::upper_bound(row_starts.begin(), row_starts.end(), block.begin);
        for (auto k = block.begin; k < block.end; ++k) {
          while (*row_end <= k) ++row_end;
          values[k] *= static_cast<int>(row_end - row_starts.begin()) - 1;
        }
      });
}

// Blocks of elements, for an algorithm of the standard library; and the atomic
// is written to once for each block, not for each letter.
int CountSpaces(parallel::ThreadPool& pool, const std::string& text) {
  std::atomic<int> count{0};
  parallel::ParallelFor(
      pool, text,
      [&](parallel::IteratorRange<std::string::const_iterator> block) {
        count += static_cast<int>(std::count(block.begin(), block.end(), ' '));
      });
  return count;
}

// Scratch memory: one vector per participant, each used by one thread at a
// time, so without a lock.
std::size_t CountPrimes(parallel::ThreadPool& pool, int end) {
  std::vector<std::vector<int>> primes(pool.MaxConcurrency());
  parallel::ParallelFor(pool, 2, end,
                        [&](parallel::Participant participant, int n) {
                          for (int d = 2; d * d <= n; ++d) {
                            if (n % d == 0) return;
                          }
                          primes[participant].push_back(n);
                        });
  std::size_t count = 0;
  for (const std::vector<int>& found : primes) count += found.size();
  return count;
}

}  // namespace

int main() {
  parallel::ThreadPool& pool = parallel::ThreadPool::Default();
  const Grid grid = Heat(pool);
  std::cout << "temperature near the line: " << grid[150][252]
            << ", near its end: " << grid[300][252] << "\n";

  // Row i has i entries.
  std::vector<int> row_starts(2001, 0);
  for (int i = 0; i < 2000; ++i) row_starts[i + 1] = row_starts[i] + i;
  std::vector<int> values(row_starts.back(), 1);
  ScaleRows(pool, row_starts, values);
  std::cout << "sum of the scaled matrix: "
            << std::accumulate(values.begin(), values.end(), std::int64_t{0})
            << "\n";

  std::string text(100'000, 'a');
  for (std::size_t i = 0; i < text.size(); i += 8) text[i] = ' ';
  std::cout << "spaces: " << CountSpaces(pool, text) << "\n";
  std::cout << "primes below 20000: " << CountPrimes(pool, 20000) << "\n";
}
