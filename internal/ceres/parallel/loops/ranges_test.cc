// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// StridedRange and Range2d, alone and in loops.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ceres/parallel/index_range.h"
#include "ceres/parallel/iterator_range.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/parallel_sum.h"
#include "ceres/parallel/range_2d.h"
#include "ceres/parallel/strided_range.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class RangesTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, RangesTest, ::testing::ValuesIn(AllPools()),
                         PoolName);

template <typename Index>
std::vector<Index> Elements(const StridedRange<Index>& range) {
  return std::vector<Index>(range.begin(), range.end());
}

TEST(StridedRange, HasTheIndicesOfThePlainLoop) {
  for (const int stride : {1, 2, 3, 7, 100}) {
    for (const int begin : {-5, 0, 3}) {
      for (const int end : {-5, -4, 0, 1, 3, 20, 21}) {
        std::vector<int> up;
        for (int i = begin; i < end; i += stride) up.push_back(i);
        const StridedRange range(begin, end, stride);
        EXPECT_EQ(Elements(range), up);
        EXPECT_EQ(range.size(), static_cast<std::int64_t>(up.size()));
        EXPECT_EQ(range.empty(), up.empty());
        std::vector<int> down;
        for (int i = begin; i > end; i -= stride) down.push_back(i);
        EXPECT_EQ(Elements(StridedRange(begin, end, -stride)), down);
      }
    }
  }
}

TEST(StridedRange, CoversTheEndsOfItsType) {
  using Limits = std::numeric_limits<int>;
  EXPECT_EQ(Elements(StridedRange(Limits::min(), Limits::max(), Limits::max())),
            (std::vector<int>{Limits::min(), -1, Limits::max() - 1}));
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(
      Elements(StridedRange(std::uint64_t{0}, most, std::int64_t{1} << 62)),
      (std::vector<std::uint64_t>{0, std::uint64_t{1} << 62,
                                  std::uint64_t{2} << 62,
                                  std::uint64_t{3} << 62}));
  EXPECT_EQ(Elements(StridedRange(5u, 0u, -2)),
            (std::vector<unsigned>{5, 3, 1}));
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(Elements(StridedRange(std::int64_t{0}, least, least)),
            (std::vector<std::int64_t>{0}));
}

TEST(StridedRange, RefusesWhatItCannotCount) {
  EXPECT_THROW(StridedRange(0, 10, 0), std::invalid_argument);
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THROW(StridedRange(std::uint64_t{0}, most, 1), std::length_error);
}

TEST_P(RangesTest, StridedLoopsVisitEveryIndexOnce) {
  std::vector<int> visits(1000, 0);
  ParallelFor(pool(), StridedRange(1, 1000, 3), [&](int i) { ++visits[i]; });
  ParallelFor(pool(), StridedRange(998, -1, -3),
              [&](IteratorRange<StridedRange<int>::iterator> range) {
                for (const int i : range) ++visits[i];
              });
  ParallelFor(pool(), StridedRange(0, 1000, 3),
              [&](Participant participant, int i) {
                EXPECT_LE(participant, num_workers());
                ++visits[i];
              },
              {2, 10, Schedule::kDynamic});
  EXPECT_EQ(visits, std::vector<int>(1000, 1));
}

TEST_P(RangesTest, ReductionsTakeStridedRanges) {
  EXPECT_EQ(ParallelSum(pool(), StridedRange(0, 1000, 10)), 49500);
  EXPECT_EQ(ParallelMax(pool(), StridedRange(0, 1000, 7)), 994);
  const auto same = [](int i) { return i; };
  EXPECT_EQ(ParallelReduce(pool(), StridedRange(1000, 0, -10), 0, same,
                           std::plus<>()),
            50500);
}

TEST_P(RangesTest, LoopsInTwoDimensionsVisitEveryPairOnce) {
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{
           {0, 5}, {5, 0}, {-3, 5}, {1, 1}, {1, 500}, {500, 1}, {37, 41}}) {
    const std::size_t size = static_cast<std::size_t>(std::max(m, 0)) * n;
    std::vector<int> visits(size, 0);
    const int columns = n;
    const auto visit = [&visits, columns](int row, int column) {
      ++visits[row * columns + column];
    };
    ParallelFor(pool(), Range2d(m, n), visit);
    ParallelFor(pool(), Range2d(m, n).Tiled(8, 5), visit, {3, 2});
    ParallelFor(pool(), Range2d(m, n), [&](IndexRange rows, IndexRange across) {
      EXPECT_EQ(rows.size(), 1);
      EXPECT_FALSE(across.empty());
      for (std::int64_t c = across.begin; c < across.end; ++c) {
        visit(static_cast<int>(rows.begin), static_cast<int>(c));
      }
    });
    ParallelFor(pool(), Range2d(m, n).Tiled(1, 3),
                [&](Participant participant, int row, int column) {
                  EXPECT_LE(participant, num_workers());
                  visit(row, column);
                });
    EXPECT_EQ(visits, std::vector<int>(size, 4)) << m << " x " << n;
  }
}

TEST_P(RangesTest, TilesHaveTheGivenSizeExceptAtTheEdges) {
  std::mutex mutex;
  std::set<std::vector<int>> tiles;
  const BasicIndexRange<int> rows(-10, 15);
  const BasicIndexRange<int> columns(3, 40);
  ParallelFor(
      pool(), Range2d(rows, columns).Tiled(10, 16),
      [&](BasicIndexRange<int> r, BasicIndexRange<int> c) {
        const std::lock_guard<std::mutex> lock(mutex);
        EXPECT_TRUE(tiles.insert({r.begin, r.end, c.begin, c.end}).second);
      });
  EXPECT_EQ(tiles, (std::set<std::vector<int>>{{-10, 0, 3, 19},
                                               {-10, 0, 19, 35},
                                               {-10, 0, 35, 40},
                                               {0, 10, 3, 19},
                                               {0, 10, 19, 35},
                                               {0, 10, 35, 40},
                                               {10, 15, 3, 19},
                                               {10, 15, 19, 35},
                                               {10, 15, 35, 40}}));
}

TEST(Range2d, HugeTilesAreOneTile) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  std::atomic<int> calls{0};
  ParallelFor(Range2d(100, 100).Tiled(huge, huge),
              [&](IndexRange rows, IndexRange columns) {
                ++calls;
                EXPECT_EQ(rows.size() * columns.size(), 10000);
              });
  EXPECT_EQ(calls, 1);
}

TEST(Range2d, TooManyPairsAreRefused) {
  const std::int64_t half = std::int64_t{1} << 32;
  EXPECT_THROW(
      ParallelFor(Range2d(half, half), [](std::int64_t, std::int64_t) {}),
      std::length_error);
  std::atomic<int> calls{0};
  ParallelFor(Range2d(half, half).Tiled(half / 2, half),
              [&](IndexRange, IndexRange) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(Range2d, ATokenAndExceptionsEndTheLoop) {
  CancellationSource source;
  source.Cancel();
  LoopOptions options;
  options.token = source.token();
  EXPECT_EQ(ParallelFor(
                Range2d(10, 10), [](int, int) { FAIL(); }, options),
            Status::kCancelled);
  EXPECT_THROW(ParallelFor(Range2d(10, 10),
                           [](int row, int) {
                             if (row == 7) throw std::runtime_error("7");
                           }),
               std::runtime_error);
}

}  // namespace
}  // namespace ceres::parallel
