// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parallel_scan.h"

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

constexpr int kLengths[] = {0,   1,    2,    3,    63,   64,    65,
                            511, 1023, 1024, 1025, 5000, 100000};

class ParallelScanTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, ParallelScanTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

std::vector<std::int64_t> Numbers(int n) {
  std::vector<std::int64_t> v(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) v[i] = (i * 7919) % 1000 - 300;
  return v;
}

TEST_P(ParallelScanTest, SumsAreThoseOfTheSerialScansAlsoInPlace) {
  constexpr std::int64_t kInitial = 42;
  for (const int n : kLengths) {
    const std::vector<std::int64_t> v = Numbers(n);
    std::vector<std::int64_t> inclusive(v.size());
    std::partial_sum(v.begin(), v.end(), inclusive.begin());
    std::vector<std::int64_t> exclusive(v.size());
    std::exclusive_scan(v.begin(), v.end(), exclusive.begin(), kInitial);
    for (const std::int64_t grain : {0, 1, 7, 1000}) {
      const LoopOptions options = {0, grain};
      for (const bool in_place : {false, true}) {
        std::vector<std::int64_t> sums = v;
        const auto& input = in_place ? sums : v;
        EXPECT_EQ(ParallelInclusiveScan(pool(), input.begin(), input.end(),
                                        sums.begin(), std::plus<>(), options),
                  Status::kCompleted);
        ASSERT_EQ(sums, inclusive) << n;
        sums = v;
        EXPECT_EQ(ParallelExclusiveScan(pool(), input.begin(), input.end(),
                                        sums.begin(), kInitial, std::plus<>(),
                                        options),
                  Status::kCompleted);
        ASSERT_EQ(sums, exclusive) << n;
      }
    }
  }
}

// Strings are combined by concatenation, which is not commutative; they are no
// numbers, can be moved from, and have no trivial copies.
TEST_P(ParallelScanTest, AnyAssociativeOperationIsAppliedInOrder) {
  std::deque<std::string> letters;
  for (int i = 0; i < 300; ++i) {
    letters.emplace_back(1, static_cast<char>('a' + i % 26));
  }
  std::vector<std::string> output(letters.size());
  ParallelInclusiveScan(pool(), letters.begin(), letters.end(), output.begin());
  std::string expected;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    expected += letters[i];
    ASSERT_EQ(output[i], expected);
  }
  ParallelExclusiveScan(pool(), letters.begin(), letters.end(), output.begin(),
                        std::string("> "));
  expected = "> ";
  for (std::size_t i = 0; i < letters.size(); ++i) {
    ASSERT_EQ(output[i], expected);
    expected += letters[i];
  }
}

TEST_P(ParallelScanTest, HasTheSameBitsForEveryNumberOfThreads) {
  for (const int n : {100, 1024, 54321}) {
    std::vector<double> v(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) v[i] = std::sin(i) * std::exp(i % 37);
    for (const std::int64_t grain : {0, 1, 100}) {
      std::vector<double> serial(v.size());
      std::vector<double> sums(v.size());
      std::vector<double> serial_exclusive(v.size());
      ParallelInclusiveScan(pool(), v.begin(), v.end(), serial.begin(),
                            std::plus<>(), {1, grain});
      ParallelExclusiveScan(pool(), v.begin(), v.end(),
                            serial_exclusive.begin(), 0.5, std::plus<>(),
                            {1, grain});
      for (const int max_threads : {0, 2, 3, 4, 8}) {
        for (int run = 0; run < 3; ++run) {
          ParallelInclusiveScan(pool(), v.begin(), v.end(), sums.begin(),
                                std::plus<>(), {max_threads, grain});
          ASSERT_EQ(sums, serial);
          ParallelExclusiveScan(pool(), v.begin(), v.end(), sums.begin(), 0.5,
                                std::plus<>(), {max_threads, grain});
          ASSERT_EQ(sums, serial_exclusive);
        }
      }
    }
  }
}

TEST_P(ParallelScanTest, TheInitialValueGivesTheTypeOfTheSums) {
  const std::vector<std::int8_t> v(1000, 100);
  std::vector<int> sums(v.size());
  ParallelExclusiveScan(pool(), v.begin(), v.end(), sums.begin(), 0);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(sums[i], 100 * i);
}

TEST_P(ParallelScanTest, ExceptionsOfTheOperationReachTheCaller) {
  std::vector<int> v(5000, 1);
  const auto add = [](int a, int b) {
    if (a + b == 4000) throw std::runtime_error("4000");
    return a + b;
  };
  for (const std::int64_t grain : {0, 1, 10000}) {
    EXPECT_THROW(ParallelInclusiveScan(pool(), v.begin(), v.end(), v.begin(),
                                       add, {0, grain}),
                 std::runtime_error);
    v.assign(v.size(), 1);
  }
}

TEST(ParallelScan, WithoutAHostRunsOnTheDefaultPool) {
  const int v[] = {3, 1, 2};
  int sums[3];
  ParallelInclusiveScan(v, v + 3, sums);
  EXPECT_EQ(sums[2], 6);
  ParallelExclusiveScan(v, v + 3, sums, 10, std::plus<>(), {1});
  EXPECT_EQ(sums[2], 14);
}

}  // namespace
}  // namespace ceres::parallel
