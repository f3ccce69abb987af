// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class ParallelForElementsTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, ParallelForElementsTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

template <typename Container>
void ExpectSquares(const Container& container) {
  int i = 0;
  for (const auto& x : container) {
    ASSERT_EQ(x, i * i);
    ++i;
  }
}

TEST_P(ParallelForElementsTest, VisitsEveryElementOfAnyRandomAccessRange) {
  const auto square = [](int& x) { x *= x; };
  std::vector<int> vector(5000);
  std::iota(vector.begin(), vector.end(), 0);
  std::deque<int> deque(vector.begin(), vector.end());
  std::array<int, 100> array;
  std::iota(array.begin(), array.end(), 0);
  int plain[50];
  std::iota(plain, plain + 50, 0);
  ParallelFor(pool(), vector, square);
  ParallelFor(pool(), deque, square);
  ParallelFor(pool(), array, square);
  ParallelFor(pool(), plain, square);
  ExpectSquares(vector);
  ExpectSquares(deque);
  ExpectSquares(array);
  ExpectSquares(plain);
}

TEST_P(ParallelForElementsTest, TakesIteratorsAndPointers) {
  std::vector<int> v(1000, 0);
  ParallelFor(pool(), v.begin(), v.end(), [](int& x) { ++x; });
  ParallelFor(pool(), v.data(), v.data() + 500, [](int& x) { ++x; });
  ParallelFor(pool(), v.rbegin(), v.rbegin() + 500, [](int& x) { ++x; });
  ParallelFor(pool(), v.begin(), v.begin(), [](int&) { FAIL(); });
  for (const int x : v) ASSERT_EQ(x, 2);
}

TEST_P(ParallelForElementsTest, ConstContainersGiveConstElements) {
  const std::vector<int> input = {3, 1, 4, 1, 5, 9, 2, 6};
  std::atomic<int> sum{0};
  ParallelFor(pool(), input, [&](const int& x) { sum += x; });
  ParallelFor(pool(), input, [&](auto& x) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(x)>>);
    sum += x;
  });
  ParallelFor(pool(), std::vector<int>{1, 2, 3}, [&](int x) { sum += x; });
  EXPECT_EQ(sum, 68);
}

TEST_P(ParallelForElementsTest, AcceptsTheFourFormsOfBodies) {
  std::vector<int> v(1000, 0);
  using Range = IteratorRange<std::vector<int>::iterator>;
  ParallelFor(pool(), v, [](int& x) { ++x; });
  ParallelFor(pool(), v, [&](Participant participant, int& x) {
    EXPECT_LE(participant, num_workers());
    ++x;
  });
  ParallelFor(pool(), v, [](Range range) {
    EXPECT_FALSE(range.empty());
    for (int& x : range) ++x;
  });
  ParallelFor(pool(), v, [&](Participant participant, Range range) {
    EXPECT_LE(participant, num_workers());
    for (std::ptrdiff_t i = 0; i < range.size(); ++i) ++range[i];
  });
  for (const int x : v) ASSERT_EQ(x, 4);
}

TEST_P(ParallelForElementsTest, TakesOptions) {
  std::vector<int> v(1000, 0);
  for (const Schedule schedule :
       {Schedule::kAdaptive, Schedule::kStatic, Schedule::kDynamic}) {
    EXPECT_EQ(ParallelFor(pool(), v, [](int& x) { ++x; }, {3, 10, schedule}),
              Status::kCompleted);
  }
  for (const int x : v) ASSERT_EQ(x, 3);
}

TEST_P(ParallelForElementsTest, AnIndexRangeIsARange) {
  std::vector<int> v(1000, 0);
  ParallelFor(pool(), BasicIndexRange<int>(10, 500), [&](int i) { ++v[i]; });
  ParallelFor(pool(), IndexRange(500, 1000), [&](IndexRange range) {
    for (std::int64_t i = range.begin; i < range.end; ++i) ++v[i];
  });
  EXPECT_EQ(std::count(v.begin(), v.begin() + 10, 0), 10);
  EXPECT_EQ(std::count(v.begin() + 10, v.end(), 1), 990);
}

TEST(ParallelForElements, WithoutAHostRunsOnTheDefaultPool) {
  std::vector<int> v(1000, 0);
  ParallelFor(v, [](int& x) { ++x; });
  ParallelFor(v.begin(), v.end(), [](int& x) { ++x; }, {2});
  ParallelFor(0u, v.size(), [&](std::size_t i) { ++v[i]; });
  for (const int x : v) ASSERT_EQ(x, 3);
}

}  // namespace
}  // namespace ceres::parallel
