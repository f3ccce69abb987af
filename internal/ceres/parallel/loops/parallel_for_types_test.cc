// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The types of indices, and the ends of their ranges.

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_for_by_cost.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

template <typename Index>
class ParallelForTypesTest : public ::testing::Test {};
using IndexTypes =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                     std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                     char, long long, unsigned long long>;
TYPED_TEST_SUITE(ParallelForTypesTest, IndexTypes);

// Visits [begin, end) in every form of body, on pools of several sizes, and
// counts what is visited at its distance from begin.
template <typename Index>
void ExpectEachIndexOnce(Index begin, Index end, int n) {
  for (const int workers : {0, 1, 3}) {
    const auto pool = MakeEagerPool(workers);
    std::vector<int> calls(static_cast<std::size_t>(n), 0);
    const auto count = [&](Index i) {
      // By subtraction in 64 bits, which wraps around.
      const auto distance =
          static_cast<std::uint64_t>(i) - static_cast<std::uint64_t>(begin);
      ASSERT_LT(distance, calls.size());
      ++calls[distance];
    };
    ParallelFor(*pool, begin, end, count);
    ParallelFor(*pool, begin, end, [&](Participant, Index i) { count(i); });
    ParallelFor(*pool, begin, end, [&](BasicIndexRange<Index> range) {
      for (Index i = range.begin; i != range.end; ++i) count(i);
    });
    ParallelFor(*pool, begin, end, count, {0, 1, Schedule::kStatic});
    ParallelFor(*pool, begin, end, count, {0, 3, Schedule::kDynamic});
    for (const int visits : calls) ASSERT_EQ(visits, 5);
  }
}

TYPED_TEST(ParallelForTypesTest, VisitsTheLowestAndTheHighestIndices) {
  using Limits = std::numeric_limits<TypeParam>;
  const auto n = static_cast<TypeParam>(100);
  ExpectEachIndexOnce<TypeParam>(
      Limits::min(), static_cast<TypeParam>(Limits::min() + n), 100);
  ExpectEachIndexOnce<TypeParam>(static_cast<TypeParam>(Limits::max() - n),
                                 Limits::max(), 100);
}

TYPED_TEST(ParallelForTypesTest, AFullRangeIsWiderThanItsSignedType) {
  using Limits = std::numeric_limits<TypeParam>;
  if constexpr (sizeof(TypeParam) <= 2) {
    ExpectEachIndexOnce<TypeParam>(Limits::min(), Limits::max(),
                                   Limits::max() - Limits::min());
  }
}

// All ints but the last: by ranges, whose lengths are counted in 64 bits.
TEST(ParallelForTypes, ARangeOfAllIntsIsCoveredWithoutGaps) {
  for (const int workers : {0, 1, 4}) {
    const auto pool = MakeEagerPool(workers);
    std::atomic<std::int64_t> covered{0};
    std::atomic<std::int64_t> sum{0};
    ParallelFor(*pool, std::numeric_limits<int>::min(),
                std::numeric_limits<int>::max(),
                [&](BasicIndexRange<int> range) {
                  const std::int64_t begin = range.begin;
                  const std::int64_t end = range.end;
                  ASSERT_LT(begin, end);
                  covered += end - begin;
                  sum += end * end - begin * begin;  // Telescopes.
                });
    EXPECT_EQ(covered, (std::int64_t{1} << 32) - 1);
    const std::int64_t low = std::numeric_limits<int>::min();
    const std::int64_t high = std::numeric_limits<int>::max();
    EXPECT_EQ(sum, high * high - low * low);
  }
}

TEST(ParallelForTypes, RangesOf63BitsRun) {
  const auto pool = MakeEagerPool(2);
  std::atomic<std::uint64_t> covered{0};
  const auto add = [&](BasicIndexRange<std::int64_t> range) {
    covered += static_cast<std::uint64_t>(range.size());
  };
  ParallelFor(*pool, std::int64_t{0}, INT64_MAX, add);
  EXPECT_EQ(covered, static_cast<std::uint64_t>(INT64_MAX));
  covered = 0;
  ParallelFor(*pool, std::int64_t{-5}, INT64_MAX - 5, add);
  EXPECT_EQ(covered, static_cast<std::uint64_t>(INT64_MAX));
}

TEST(ParallelForTypes, LongerRangesAreALengthError) {
  const auto pool = MakeEagerPool(1);
  const auto body = [](auto) { FAIL() << "nothing may run"; };
  EXPECT_THROW(ParallelFor(*pool, INT64_MIN, INT64_MAX, body),
               std::length_error);
  EXPECT_THROW(ParallelFor(*pool, std::uint64_t{0}, UINT64_MAX, body),
               std::length_error);
}

// One place for each Index.
template <typename Index>
int CountCalls(ThreadPool& pool, Index begin, Index end) {
  std::atomic<int> calls{0};
  ParallelFor(pool, begin, end, [&calls](BasicIndexRange<Index> range) {
    calls.fetch_add(static_cast<int>(range.size()), std::memory_order_relaxed);
  });
  return calls;
}

// A place of short loops looks at the length before it runs a plain loop.
template <typename Index>
void ExpectNoCallsIfTheEndComesFirst() {
  ThreadPool pool(1);
  constexpr Index kMin = std::numeric_limits<Index>::min();
  constexpr Index kMax = std::numeric_limits<Index>::max();
  for (int call = 0; call < 10000; ++call) {
    ASSERT_EQ(CountCalls<Index>(pool, 0, 5), 5);
    ASSERT_EQ(CountCalls<Index>(pool, 5, 5), 0);
    ASSERT_EQ(CountCalls<Index>(pool, 5, 0), 0);
    // Modulo 2^64 some are 1, 5 and - 1 long.
    ASSERT_EQ(CountCalls<Index>(pool, kMax, kMin), 0);
    ASSERT_EQ(CountCalls<Index>(pool, kMax - 2, kMin + 2), 0);
    ASSERT_EQ(CountCalls<Index>(pool, 1, 0), 0);
  }
}

TEST(ParallelForTypes, RangesThatEndBeforeTheyBeginAreEmptyAtTrustedPlaces) {
  ExpectNoCallsIfTheEndComesFirst<std::int8_t>();
  ExpectNoCallsIfTheEndComesFirst<std::int32_t>();
  ExpectNoCallsIfTheEndComesFirst<std::uint32_t>();
  ExpectNoCallsIfTheEndComesFirst<std::int64_t>();
  ExpectNoCallsIfTheEndComesFirst<std::uint64_t>();
}

TEST(ParallelForTypes, BoundsOfTwoTypesGiveAnIndexOfTheirCommonType) {
  const auto pool = MakeEagerPool(1);
  const std::vector<int> v(10);
  ParallelFor(*pool, 0, v.size(), [](auto i) {
    static_assert(std::is_same_v<decltype(i), std::size_t>);
  });
  ParallelFor(*pool, 0, std::int64_t{10}, [](auto i) {
    static_assert(std::is_same_v<decltype(i), std::int64_t>);
  });
  std::atomic<int> calls{0};
  ParallelFor(*pool, std::int64_t{-3}, 4u, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 7);
}

TEST(ParallelForTypes, ABodyMayTakeASignedRangeOfUnsignedBounds) {
  const auto pool = MakeEagerPool(1);
  const std::vector<int> v(1000);
  std::atomic<std::int64_t> covered{0};
  const auto add = [&](IndexRange range) { covered += range.size(); };
  ParallelFor(*pool, 0, v.size(), add);
  ParallelFor(*pool, 0u, v.size(), [&](Participant, IndexRange r) { add(r); });
  ParallelFor(0, v.size(), add);
  ParallelForByCost(
      *pool, 0, v.size(), [](std::size_t i) { return i; }, add);
  EXPECT_EQ(covered, 4000);

  constexpr std::uint64_t kHigh = std::uint64_t{1} << 63;
  EXPECT_THROW(ParallelFor(*pool, kHigh, kHigh + 10, add), std::out_of_range);
  EXPECT_THROW(ParallelFor(*pool, kHigh - 10, kHigh, add), std::out_of_range);
  covered = 0;
  ParallelFor(*pool, kHigh, kHigh + 10,
              [&](BasicIndexRange<std::uint64_t> range) {
                covered += static_cast<std::int64_t>(range.size());
              });
  EXPECT_EQ(covered, 10);
}

struct Overloaded {
  void operator()(int) const { FAIL() << "not the first form"; }
  void operator()(int participant, int) const {
    if (participant >= 0) ++*calls;
  }
  std::atomic<int>* calls;
};

TEST(ParallelForTypes, GenericAndOverloadedBodiesOfTwoGetAParticipant) {
  const auto pool = MakeEagerPool(1);
  std::atomic<int> calls{0};
  ParallelFor(*pool, 0, 10, [&](auto participant, auto i) {
    static_assert(std::is_same_v<decltype(participant), Participant>);
    static_assert(std::is_same_v<decltype(i), int>);
    ++calls;
  });
  ParallelFor(*pool, 0, 10, [&](auto participant, BasicIndexRange<int> range) {
    static_assert(std::is_same_v<decltype(participant), Participant>);
    calls += range.size();
  });
  ParallelFor(*pool, 0, 10, Overloaded{&calls});
  EXPECT_EQ(calls, 30);
}

std::atomic<int> function_calls{0};
void CountIndex(int) { ++function_calls; }
void CountRange(Participant, IndexRange range) {
  function_calls += static_cast<int>(range.size());
}

TEST(ParallelForTypes, FunctionsAreBodies) {
  const auto pool = MakeEagerPool(1);
  ParallelFor(*pool, 0, 10, CountIndex);
  ParallelFor(*pool, 0, 10, &CountRange);
  EXPECT_EQ(function_calls, 20);
}

TEST(ParallelForTypes, ANegativeBoundIsNotTakenForAHugeUnsignedOne) {
  const auto pool = MakeEagerPool(1);
  const auto body = [](std::uint64_t) { FAIL() << "nothing may run"; };
  EXPECT_EQ(ParallelFor(*pool, std::size_t{0}, -1, body), Status::kCompleted);
  EXPECT_THROW(ParallelFor(*pool, -1, std::size_t{5}, body),
               std::invalid_argument);
}

TEST(ParallelForTypes, TheSizeOfANarrowRangeIsAnInt) {
  const BasicIndexRange<std::int8_t> range(-128, 127);
  EXPECT_EQ(range.size(), 255);
}

}  // namespace
}  // namespace ceres::parallel
