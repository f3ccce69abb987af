// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Sums, extremes and other reductions: the statistics of a cloud of points, the
// same to the last bit on one core and on a hundred.
//
// Prints: mean x 0.826161, spread 408.533
// Prints: largest y 1
// Prints: nearest to .100, 0.: 0.0929304, of no points: none
// Prints: 3 x 4 x 5 cells: 60
// Prints: x from -995.885 to 999.027
// Prints: tobeornottobe
// Prints: points on the right: 500486

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Box {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

Box Union(const Box& a, const Box& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace

int main() {
  parallel::ThreadPool& pool = parallel::ThreadPool::Default();
  std::vector<Point> points(1'000'000);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double angle = 0.001 * static_cast<double>(i);
    points[i] = {std::cos(angle) * angle, std::sin(angle)};
  }

  // Sums of a member, of a function of each element, of the elements.
  const double sum_x = parallel::ParallelSum(pool, points, &Point::x);
  const double sum_squares = parallel::ParallelSum(
      pool, points, [](const Point& p) { return p.x * p.x + p.y * p.y; });
  std::cout << "mean x " << sum_x / 1e6 << ", spread "
            << std::sqrt(sum_squares / 1e6) << "\n";
  std::cout << "largest y " << *parallel::ParallelMax(pool, points, &Point::y)
            << "\n";

  // An empty range has no smallest element: the result is optional.
  const auto distance = [](const Point& p) {
    return std::hypot(p.x - 100.0, p.y);
  };
  const bool any =
      parallel::ParallelMin(pool, std::vector<Point>(), distance).has_value();
  std::cout << "nearest to (100, 0): "
            << *parallel::ParallelMin(pool, points, distance)
            << ", of no points: " << (any ? "some" : "none") << "\n";

  // The product of nothing is 1. Without a host: on the default pool.
  const std::vector<int> sides = {3, 4, 5};
  std::cout << "3 x 4 x 5 cells: "
            << parallel::ParallelReduce(sides, 1, std::multiplies<>()) << "\n";

  // Any associative operation, with its identity.
  const Box box = parallel::ParallelReduce(
      pool, points, Box(),
      [](const Point& p) {
        return Box{p.x, p.x};
      },
      Union);
  std::cout << "x from " << box.low << " to " << box.high << "\n";

  // Operations need not be commutative.
  const std::vector<std::string> words = {"to", "be", "or", "not", "to", "be"};
  std::cout << parallel::ParallelReduce(pool, words, std::string(),
                                        std::plus<>())
            << "\n";

  // Over indices, with a map; waited for later.
  parallel::Future<int> right = parallel::Async(pool, [&] {
    return parallel::ParallelReduce(
        pool, std::size_t{0}, points.size(), 0,
        [&](std::size_t i) { return points[i].x > 0.0 ? 1 : 0; },
        std::plus<>());
  });
  std::cout << "points on the right: " << right.Get() << "\n";
}
