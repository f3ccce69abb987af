// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A wait for a condition: a knight's tour of all squares it can reach, where
// each square found is a task of its own. Nobody knows in advance how many
// there will be; the caller helps until none is left.
//
// Prints: reached 64 squares of 64

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iostream>

#include "ceres/parallel/future.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

class Search {
 public:
  explicit Search(parallel::ThreadPool& pool) : pool_(pool) {}

  int CountReachable(int square) {
    Visit(square);
    parallel::HelpUntil(pool_, [this] { return unfinished_ == 0; });
    return static_cast<int>(std::count(reached_.begin(), reached_.end(), true));
  }

 private:
  void Visit(int square) {
    if (reached_[square].exchange(true)) return;
    // Counted before the task that counts itself off could be over.
    ++unfinished_;
    parallel::Detach(pool_, [this, square] {
      for (int next = 0; next < 64; ++next) {
        const int rows = std::abs(next / 8 - square / 8);
        const int columns = std::abs(next % 8 - square % 8);
        if (rows * columns == 2) Visit(next);
      }
      --unfinished_;
    });
  }

  parallel::ThreadPool& pool_;
  std::array<std::atomic<bool>, 64> reached_{};
  std::atomic<int> unfinished_{0};
};

}  // namespace

int main() {
  parallel::ThreadPool pool(2);
  Search search(pool);
  std::cout << "reached " << search.CountReachable(0) << " squares of 64\n";
}
