// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Fork and join: quicksort. A fork that nobody takes part in costs a few
// nanoseconds, so the recursion may go down to the smallest pieces.
//
// Prints: sorted 1000000 numbers: yes

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

using Iterator = std::vector<std::uint32_t>::iterator;

void Sort(Iterator begin, Iterator end) {
  if (end - begin < 16) {
    std::sort(begin, end);
    return;
  }
  const std::uint32_t pivot = *(begin + (end - begin) / 2);
  const Iterator left =
      std::partition(begin, end, [&](std::uint32_t x) { return x < pivot; });
  const Iterator right =
      std::partition(left, end, [&](std::uint32_t x) { return x == pivot; });
  // On the pool whose work this thread does.
  parallel::ParallelInvoke([&] { Sort(begin, left); },
                           [&] { Sort(right, end); });
}

}  // namespace

int main() {
  parallel::ThreadPool pool(3);
  std::vector<std::uint32_t> numbers(1'000'000);
  std::uint32_t random = 1;
  for (std::uint32_t& number : numbers) {
    number = random = 1664525 * random + 1013904223;
  }
  const Iterator middle = numbers.begin() + 500'000;
  std::nth_element(numbers.begin(), middle, numbers.end());
  // The outermost fork names the pool.
  parallel::ParallelInvoke(
      pool, [&] { Sort(numbers.begin(), middle); },
      [&] { Sort(middle, numbers.end()); });
  std::cout << "sorted " << numbers.size() << " numbers: "
            << (std::is_sorted(numbers.begin(), numbers.end()) ? "yes" : "no")
            << "\n";
}
