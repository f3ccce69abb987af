// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops and reductions that are under way while the program does other things
// are tasks that run a loop: awaited ones, which tell how they ended, and
// detached ones.
//
// Prints: squares up to 998001, all done: yes
// Prints: sum of squares: 332833500
// Prints: logged 1000 values and 3 words

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

int main() {
  parallel::ThreadPool pool(2);

  // Two loops at once. Who waits helps. The elements stay until then.
  std::vector<std::int64_t> squares(1000);
  std::vector<double> halves(1000, 1.0);
  parallel::Future<parallel::Status> by_index = parallel::Async(pool, [&] {
    return parallel::ParallelFor(
        pool, 0, 1000, [&](int i) { squares[i] = std::int64_t{i} * i; });
  });
  parallel::Future<parallel::Status> by_element = parallel::Async(pool, [&] {
    return parallel::ParallelFor(pool, halves, [](double& x) { x /= 2.0; });
  });
  const bool done = by_index.Get() == parallel::Status::kCompleted &&
                    by_element.Get() == parallel::Status::kCompleted;
  std::cout << "squares up to " << squares.back()
            << ", all done: " << (done ? "yes" : "no") << "\n";

  parallel::Future<std::int64_t> sum = parallel::Async(
      pool, [&] { return parallel::ParallelSum(pool, squares); });
  std::cout << "sum of squares: " << sum.Get() << "\n";

  // Nobody waits for one of these; here for all at once. What a task captures
  // by value is its own, so that nothing need stay for it.
  std::atomic<int> values{0};
  std::atomic<int> words{0};
  parallel::Detach(pool, [&] {
    parallel::ParallelFor(pool, 0, 1000, [&](int) { ++values; });
  });
  const std::vector<std::string> text = {"to", "be", "or", "not"};
  parallel::Detach(pool, [&pool, &words, text] {
    parallel::ParallelFor(pool, text, [&words](const std::string& word) {
      if (word.size() == 2) ++words;
    });
  });
  pool.WaitForAll();
  std::cout << "logged " << values << " values and " << words << " words\n";
}
