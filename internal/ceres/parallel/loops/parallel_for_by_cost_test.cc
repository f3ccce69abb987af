// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parallel_for_by_cost.h"

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class ParallelForByCostTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, ParallelForByCostTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

// Costs of shapes that are hard to cut.
std::vector<std::vector<double>> Shapes(int n) {
  std::vector<std::vector<double>> shapes(5, std::vector<double>(n, 0.0));
  for (int i = 0; i < n; ++i) {
    shapes[0][i] = 1.0;
    shapes[1][i] = i;
  }
  shapes[2][0] = 1e6;
  shapes[3][n - 1] = 7.0;
  return shapes;  // The last one: no cost at all.
}

TEST_P(ParallelForByCostTest, VisitsEveryIndexOnceWhateverTheCosts) {
  constexpr int kN = 500;
  for (const std::vector<double>& costs : Shapes(kN)) {
    std::vector<double> cumulative(kN + 1, 100.0);  // Need not begin at 0.
    for (int i = 0; i < kN; ++i) cumulative[i + 1] = cumulative[i] + costs[i];
    for (const int begin : {0, 1, 250, kN - 1, kN}) {
      std::vector<int> calls(kN, 0);
      ParallelForByCost(pool(), begin, kN, cumulative,
                        [&](int i) { ++calls[i]; });
      ParallelForByCost(
          pool(), begin, kN, [&](int i) { return cumulative[i]; },
          [&](Participant participant, BasicIndexRange<int> range) {
            EXPECT_LE(participant, num_workers());
            for (int i = range.begin; i < range.end; ++i) ++calls[i];
          });
      for (int i = 0; i < kN; ++i) ASSERT_EQ(calls[i], i >= begin ? 2 : 0);
    }
  }
}

TEST_P(ParallelForByCostTest, PiecesHaveEqualCost) {
  constexpr int kN = 10000;
  const auto cost = [](int i) { return 0.5 * i * (i - 1.0); };
  for (const int max_threads : {0, 1, 3}) {
    const int threads = max_threads > 0 ? max_threads : num_workers() + 1;
    // Nobody can help a thread of a pool without workers.
    const int expected = threads == 1 || num_workers() == 0 ? 1 : 8 * threads;
    const double share = cost(kN) / expected;
    std::atomic<int> pieces{0};
    ParallelForByCost(pool(), 0, kN, cost,
                      [&](BasicIndexRange<int> range) {
                        EXPECT_NEAR(cost(range.end) - cost(range.begin), share,
                                    kN);
                        pieces.fetch_add(1);
                      },
                      {max_threads});
    EXPECT_EQ(pieces, expected);
  }
}

// 8 pieces per thread, but at most one for each `grain` indices.
TEST(ParallelForByCost, TheGrainLimitsTheNumberOfPieces) {
  const auto pool = MakeEagerPool(3);
  for (const Schedule schedule :
       {Schedule::kAdaptive, Schedule::kStatic, Schedule::kDynamic}) {
    for (const auto& [grain, expected] : std::vector<std::pair<int, int>>{
             {0, 32}, {1, 32}, {30, 32}, {100, 10}, {700, 1}, {5000, 1}}) {
      std::atomic<int> pieces{0};
      std::atomic<std::int64_t> indices{0};
      ParallelForByCost(
          *pool, 0, 1000, [](int i) { return i; },
          [&](IndexRange range) {
            ++pieces;
            indices += range.size();
          },
          {4, grain, schedule});
      EXPECT_EQ(pieces, expected) << grain;
      EXPECT_EQ(indices, 1000);
    }
  }
}

TEST(ParallelForByCost, TakesAnyIntegersAndNoHost) {
  const std::uint64_t base = std::uint64_t{1} << 63;
  std::atomic<int> calls{0};
  ParallelForByCost(
      base, base + 100, [](std::uint64_t i) { return static_cast<float>(i); },
      [&](std::uint64_t i) {
        EXPECT_GE(i, base);
        ++calls;
      });
  EXPECT_EQ(calls, 100);
}

TEST(ParallelForByCost, CostsThatAreNotNumbersOnlyCostSpeed) {
  const auto pool = MakeEagerPool(3);
  std::vector<int> calls(100, 0);
  ParallelForByCost(
      *pool, 0, 100,
      [](int) { return std::numeric_limits<double>::quiet_NaN(); },
      [&](int i) { ++calls[i]; });
  for (const int count : calls) ASSERT_EQ(count, 1);
}

}  // namespace
}  // namespace ceres::parallel
