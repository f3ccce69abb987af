// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parallel_reduce.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/parallel/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Range = BasicIndexRange<int>;

class ParallelReduceTest : public ForEachPool {
 protected:
  // A sum whose rounding depends on the order of its terms.
  double Sum(int n, const ReduceOptions& options) {
    return ParallelReduce(
        pool(), 0, n, 0.0,
        [](Range range) {
          double sum = 0.0;
          for (int i = range.begin; i < range.end; ++i) {
            sum += std::sin(i) * std::exp(i % 37);
          }
          return sum;
        },
        [](double a, double b) { return a + b; }, options);
  }
};
INSTANTIATE_TEST_SUITE_P(Pools, ParallelReduceTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

TEST_P(ParallelReduceTest, HasTheSameBitsForEveryNumberOfThreads) {
  for (const int n : {1, 63, 64, 65, 1000, 54321}) {
    const double expected = Sum(n, {1, 1});
    for (const int max_threads : {0, 2, 3, 8, 64}) {
      for (int run = 0; run < 3; ++run) {
        ASSERT_EQ(Sum(n, {max_threads, 1}), expected) << n;
      }
    }
  }
}

TEST_P(ParallelReduceTest, CombinesInOrder) {
  const std::string text = ParallelReduce(
      pool(), 0, 300, std::string(),
      [](Range range) {
        std::string part;
        for (int i = range.begin; i < range.end; ++i) {
          part += static_cast<char>('a' + i % 26);
        }
        return part;
      },
      [](std::string a, const std::string& b) { return a + b; });
  ASSERT_EQ(text.size(), 300u);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(text[i], 'a' + i % 26);
}

TEST_P(ParallelReduceTest, EmptyRangeIsTheIdentity) {
  const auto map = [](Range) { return 1; };
  const auto add = [](int a, int b) { return a + b; };
  EXPECT_EQ(ParallelReduce(pool(), 3, 3, 17, map, add), 17);
  EXPECT_EQ(ParallelReduce(pool(), 3, 2, 17, map, add), 17);
}

TEST_P(ParallelReduceTest, ExceptionsOfTheMapReachTheCaller) {
  EXPECT_THROW(ParallelReduce(
                   pool(), 0, 1000, 0,
                   [](Range range) -> int {
                     if (range.begin <= 500 && 500 < range.end) {
                       throw std::runtime_error("500");
                     }
                     return 0;
                   },
                   [](int a, int b) { return a + b; }),
               std::runtime_error);
}

TEST(ReduceBlocks, CoverTheRangeAndDependOnLengthAndGrainAlone) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 1000, 12345}) {
    for (const std::int64_t grain : {1, 10, 1000}) {
      const int blocks = detail::NumReduceBlocks(n, grain);
      ASSERT_LE(blocks, detail::kMaxReduceBlocks);
      std::int64_t next = 5;
      for (int k = 0; k < blocks; ++k) {
        const IndexRange block =
            detail::ReduceBlock<std::int64_t>(5, n, blocks, k);
        ASSERT_EQ(block.begin, next);
        ASSERT_GE(block.size(), std::min(grain, n));
        next = block.end;
      }
      ASSERT_EQ(next, n + 5);
    }
  }
}

}  // namespace
}  // namespace ceres::parallel
