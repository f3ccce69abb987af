// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops and reductions that are under way while the program does other things:
// awaited ones, which tell how they ended, and detached ones.
//
// Prints: squares up to 998001, all done: yes
// Prints: row 99 of the triangle has sum 4950
// Prints: sum of squares: 332833500
// Prints: logged 1000 values and 3 words

#include "ceres/parallel/async_loops.h"

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/parallel/async_reductions.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

int main() {
  parallel::ThreadPool pool(2);

  // Two loops at once. Who waits helps. The elements stay until then.
  std::vector<std::int64_t> squares(1000);
  std::vector<double> halves(1000, 1.0);
  parallel::Future<parallel::Status> by_index = parallel::AsyncFor(
      pool, 0, 1000, [&squares](int i) { squares[i] = std::int64_t{i} * i; });
  parallel::Future<parallel::Status> by_element =
      parallel::AsyncForEach(pool, halves, [](double& x) { x /= 2.0; });
  const bool done = by_index.get() == parallel::Status::kCompleted &&
                    by_element.get() == parallel::Status::kCompleted;
  std::cout << "squares up to " << squares.back()
            << ", all done: " << (done ? "yes" : "no") << "\n";

  // Row i has i entries: the first i rows cost i * (i - 1) / 2 together.
  std::vector<int> sums(100, 0);
  parallel::Future<parallel::Status> triangle = parallel::AsyncForByCost(
      pool, 0, 100, [](int i) { return 0.5 * i * (i - 1); },
      [&sums](int row) {
        for (int k = 1; k <= row; ++k) sums[row] += k;
      });
  // A reduction meanwhile.
  parallel::Future<std::int64_t> sum = parallel::AsyncSum(pool, squares);
  triangle.get();
  std::cout << "row 99 of the triangle has sum " << sums.back() << "\n";
  std::cout << "sum of squares: " << sum.get() << "\n";

  // Nobody waits for one of these; here for all at once. A temporary container
  // is the task's own, so that nothing need stay for it.
  std::atomic<int> values{0};
  std::atomic<int> words{0};
  parallel::DetachFor(pool, 0, 1000, [&values](int) { ++values; });
  parallel::DetachForEach(pool,
                          std::vector<std::string>{"to", "be", "or", "not"},
                          [&words](const std::string& word) {
                            if (word.size() == 2) ++words;
                          });
  pool.WaitForAll();
  std::cout << "logged " << values << " values and " << words << " words\n";
}
