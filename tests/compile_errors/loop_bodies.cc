// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Bodies of loops that do not compile, and the one error that each gives.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"

using namespace ceres::parallel;  // NOLINT(google-build-using-namespace)

// clang-format off
// Error: of two integers is ambiguous: write .Participant participant, int i. .* or .IndexRange range.
// Error: of two integers is ambiguous
// Error: of two integers is ambiguous
// Error: of two integers is ambiguous
// Error: of two integers is ambiguous
// Error: body takes .int i., .IndexRange range., .Participant participant, int i. or .Participant participant, IndexRange range.
// Error: body takes .int i., .IndexRange range.
// Error: body takes .int i., .IndexRange range.
// Error: body takes .int i., .IndexRange range.
// Error: body for elements takes .T& element., .IteratorRange<Iterator> range.
// Error: body for elements takes
// Error: of two integers for elements is ambiguous
// Error: body for a Range2d takes .int row, int column.
// Error: of three integers is ambiguous
// clang-format on

inline void TwoIntegers(int, int) {}

inline void Test(ThreadPool& pool, std::vector<std::string>& v) {
#if CASE == 0
  ParallelFor(pool, 0, v.size(), [](Participant, std::size_t) {});
#elif CASE == 1
  ParallelFor(pool, 0, 10, [](int, int) {});
#elif CASE == 2
  ParallelFor(0, v.size(), [](int, std::size_t) {});
#elif CASE == 3
  ParallelFor(pool, 0, 10, TwoIntegers);
#elif CASE == 4
  ParallelFor(pool, 0, 10, std::function<void(int, int)>(TwoIntegers));
#elif CASE == 5
  ParallelForByCost(pool, 0, 10, std::vector<int>(11), [](int, int) {});
#elif CASE == 6
  ParallelFor(pool, 0, 10, [](const std::string&) {});
#elif CASE == 7
  ParallelFor(pool, 0, 10, [] {});
#elif CASE == 8
  ParallelFor(
      pool, 0, 10, [](Participant, int, int) {}, LoopOptions());
#elif CASE == 9
  ParallelForByCost(pool, 0, 10, std::vector<int>(11), 5);
#elif CASE == 10
  ParallelFor(pool, v, [](int) {});
#elif CASE == 11
  ParallelFor(v.begin(), v.end(), [](Participant) {});
#elif CASE == 12
  ParallelFor(pool, std::vector<int>(), [](int, int) {});
#elif CASE == 13
  ParallelFor(pool, Range2d(3, 3), [](int) {});
#elif CASE == 14
  ParallelFor(pool, Range2d(3, 3), [](int, int, int) {});
#endif
  static_cast<void>(pool);
  static_cast<void>(v);
}
