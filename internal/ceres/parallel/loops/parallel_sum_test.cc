// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parallel_sum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class ParallelSumTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, ParallelSumTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(ParallelSumTest, SumsOfNumbersAreThoseOfTheClosedForm) {
  for (const int n : {1, 2, 3, 4, 5, 255, 256, 511, 512, 513, 20000}) {
    std::vector<int> v(n);
    for (int i = 0; i < n; ++i) v[i] = i;
    const std::deque<double> deque(v.begin(), v.end());
    const std::int64_t expected = std::int64_t{n} * (n - 1) / 2;
    EXPECT_EQ(ParallelSum(pool(), v), expected);
    EXPECT_EQ(ParallelSum(pool(), v.begin(), v.end()), expected);
    EXPECT_EQ(ParallelSum(pool(), v.data(), v.data() + n), expected);
    EXPECT_EQ(ParallelSum(pool(), deque), static_cast<double>(expected));
    const auto square = [](std::int64_t i) { return i * i; };
    EXPECT_EQ(ParallelSum(pool(), v, square), expected * (2 * n - 1) / 3);
  }
}

TEST_P(ParallelSumTest, NumbersNarrowerThanIntAreAddedUpAsInts) {
  const std::vector<std::int8_t> small(1000, 100);
  static_assert(std::is_same_v<decltype(ParallelSum(pool(), small)), int>);
  EXPECT_EQ(ParallelSum(pool(), small), 100000);
  const std::vector<std::uint64_t> large(4, std::uint64_t{1} << 61);
  EXPECT_EQ(ParallelSum(pool(), large), std::uint64_t{1} << 63);
}

TEST_P(ParallelSumTest, AReferenceToABitStandsForTheBit) {
  std::vector<bool> bits(1000, true);
  bits[500] = false;
  const std::vector<bool>& constant = bits;
  static_assert(std::is_same_v<decltype(ParallelSum(pool(), constant)), int>);
  EXPECT_EQ(ParallelSum(pool(), constant), 999);
  EXPECT_EQ(ParallelSum(pool(), bits.begin(), bits.end()), 999);
  EXPECT_EQ(ParallelMin(pool(), bits.begin(), bits.end()), false);
  EXPECT_EQ(ParallelMax(pool(), bits.begin(), bits.end()), true);
}

TEST_P(ParallelSumTest, OtherTypesAreCombinedInOrder) {
  std::vector<std::string> letters;
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    letters.emplace_back(1, static_cast<char>('a' + i % 26));
    expected += letters.back();
  }
  EXPECT_EQ(ParallelSum(pool(), letters), expected);
}

TEST_P(ParallelSumTest, SumsHaveTheSameBitsForEveryNumberOfThreads) {
  std::vector<float> v(33333);
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = std::sin(static_cast<float>(i)) * 1e3f;
  }
  const auto square = [](float x) { return x * x; };
  const float sum = ParallelSum(pool(), v, {}, {1});
  const float squares = ParallelSum(pool(), v, square, {1});
  for (const int max_threads : {0, 2, 3, 4, 8}) {
    EXPECT_EQ(ParallelSum(pool(), v, {}, {max_threads}), sum);
    EXPECT_EQ(ParallelSum(pool(), v, square, {max_threads}), squares);
  }
}

struct Point {
  double distance;
  int id;
  friend bool operator<(const Point& a, const Point& b) {
    return a.distance < b.distance;
  }
};

TEST_P(ParallelSumTest, ExtremesAreTheFirstOfEqualOnes) {
  std::vector<Point> points(5000);
  for (int i = 0; i < 5000; ++i) {
    points[i] = {std::abs((i * 37) % 1000 - 500.0), i};
  }
  const Point nearest = ParallelMin(pool(), points).value();
  const Point farthest = ParallelMax(pool(), points).value();
  EXPECT_EQ(nearest.id, std::min_element(points.begin(), points.end())->id);
  EXPECT_EQ(farthest.id, std::max_element(points.begin(), points.end())->id);
  EXPECT_EQ(ParallelMin(pool(), points, &Point::distance), 0.0);
  EXPECT_EQ(ParallelMax(pool(), points.begin(), points.begin() + 10,
                        [](const Point& point) { return -point.id; }),
            0);
}

TEST_P(ParallelSumTest, NothingHasASumButNoExtremes) {
  const std::vector<double> none;
  EXPECT_EQ(ParallelSum(pool(), none), 0.0);
  EXPECT_FALSE(ParallelMin(pool(), none).has_value());
  EXPECT_FALSE(ParallelMax(pool(), none).has_value());
}

TEST_P(ParallelSumTest, NotANumberGivesTheSameBitsToo) {
  std::vector<double> v(3000, 1.0);
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = std::cos(static_cast<double>(i));
  }
  v[0] = v[1500] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(ParallelSum(pool(), v)));
  const double serial = ParallelMin(pool(), v, {}, {1}).value();
  for (int run = 0; run < 5; ++run) {
    const double parallel = ParallelMin(pool(), v).value();
    EXPECT_TRUE(parallel == serial ||
                (std::isnan(parallel) && std::isnan(serial)));
  }
}

TEST(ParallelSum, WithoutAHostRunsOnTheDefaultPool) {
  const std::vector<int> v = {3, 1, 2};
  EXPECT_EQ(ParallelSum(v), 6);
  EXPECT_EQ(ParallelMin(v), 1);
  EXPECT_EQ(ParallelMax(v, [](int x) { return -x; }), -1);
}

}  // namespace
}  // namespace ceres::parallel
