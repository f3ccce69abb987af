// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/async_reductions.h"

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Range = BasicIndexRange<int>;

class AsyncReductionsTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, AsyncReductionsTest,
                         ::testing::ValuesIn(AllPools()), PoolName);

// Numbers whose sum depends on the brackets.
std::vector<double> Harmonic(int n) {
  std::vector<double> v(n);
  for (int i = 0; i < n; ++i) v[i] = 1.0 / (1.0 + i);
  return v;
}

TEST_P(AsyncReductionsTest, ReductionsAndSumsGiveTheBitsOfTheBlockingOnes) {
  const std::vector<double> v = Harmonic(20000);
  const std::plus<> plus;
  const auto sum_of = [&v](Range range) {
    return std::accumulate(v.begin() + range.begin, v.begin() + range.end, 0.0);
  };
  const auto square = [](double x) { return x * x; };
  const auto square_at = [&v](int i) { return v[i] * v[i]; };
  // The grain is part of what defines the result.
  ReduceOptions options;
  options.grain = 1000;
  ASSERT_NE(ParallelSum(pool(), v, {}, options), ParallelSum(pool(), v));
  for (const std::int64_t grain : {0, 1000}) {
    options.grain = grain;
    EXPECT_EQ(AsyncReduce(pool(), 0, 20000, 0.0, sum_of, plus, options).get(),
              ParallelReduce(pool(), 0, 20000, 0.0, sum_of, plus, options));
    const double sum = ParallelReduce(pool(), v, 0.5, plus, options);
    EXPECT_EQ(AsyncReduce(pool(), v.begin(), v.end(), 0.5, plus, options).get(),
              sum);
    EXPECT_EQ(AsyncReduce(pool(), v, 0.5, plus, options).get(), sum);
    const double squares =
        ParallelMapReduce(pool(), v, 0.3, square, plus, options);

    EXPECT_EQ(
        AsyncMapReduce(pool(), 0, 20000, 0.3, square_at, plus, options).get(),
        squares);
    EXPECT_EQ(
        AsyncMapReduce(pool(), v.begin(), v.end(), 0.3, square, plus, options)
            .get(),
        squares);
    EXPECT_EQ(AsyncMapReduce(pool(), v, 0.3, square, plus, options).get(),
              squares);
    const double total = ParallelSum(pool(), v, square, options);
    EXPECT_EQ(AsyncSum(pool(), v, square, options).get(), total);
    EXPECT_EQ(AsyncSum(pool(), v.begin(), v.end(), square, options).get(),
              total);
  }
}

TEST_P(AsyncReductionsTest, ProductsAndExtremesAreThoseOfTheBlockingOnes) {
  std::vector<double> v = Harmonic(1000);
  for (double& x : v) x = 1.0 + std::sin(100.0 * x) / 3.0;
  const auto first = v.begin();
  const auto negative = [](double x) { return -x; };
  EXPECT_EQ(AsyncProduct(pool(), v).get(), ParallelProduct(pool(), v));
  EXPECT_EQ(AsyncProduct(pool(), first, first + 9, negative).get(),
            ParallelProduct(pool(), first, first + 9, negative));
  EXPECT_EQ(AsyncMin(pool(), v).get(), ParallelMin(pool(), v));
  EXPECT_EQ(AsyncMin(pool(), first, v.end(), negative).get(),
            ParallelMin(pool(), v, negative));
  EXPECT_EQ(AsyncMax(pool(), v).get(), ParallelMax(pool(), v));
  EXPECT_EQ(AsyncMax(pool(), v, negative).get(),
            ParallelMax(pool(), v, negative));
}

TEST_P(AsyncReductionsTest, ResultsHaveTheTypesOfTheBlockingOnes) {
  const std::vector<short> v = {30000, 30000};
  Future<int> sum = AsyncSum(pool(), v);
  Future<int> product = AsyncProduct(pool(), v);
  Future<std::optional<short>> smallest = AsyncMin(pool(), v);
  EXPECT_EQ(sum.get(), 60000);
  EXPECT_EQ(product.get(), 900000000);
  EXPECT_EQ(smallest.get(), 30000);
  const std::vector<std::string> words = {"to", "be", "or"};
  Future<std::string> together = AsyncSum(pool(), words);
  Future<std::optional<std::size_t>> longest =
      AsyncMax(pool(), words, &std::string::size);
  EXPECT_EQ(together.get(), "tobeor");
  EXPECT_EQ(longest.get(), 2u);
}

TEST_P(AsyncReductionsTest, NothingGivesWhatTheBlockingOnesGive) {
  const std::vector<int> v;
  EXPECT_EQ(AsyncReduce(pool(), v, 7, std::plus<>()).get(), 7);
  EXPECT_EQ(
      AsyncMapReduce(pool(), 5, 5, 7, std::negate<>(), std::plus<>()).get(), 7);
  EXPECT_EQ(AsyncSum(pool(), v).get(), 0);
  EXPECT_EQ(AsyncProduct(pool(), v).get(), 1);
  EXPECT_EQ(AsyncMin(pool(), v).get(), std::nullopt);
  EXPECT_EQ(AsyncMax(pool(), v).get(), std::nullopt);
}

TEST_P(AsyncReductionsTest, ATemporaryContainerIsTheTasksOwn) {
  std::vector<std::unique_ptr<int>> numbers(1000);
  for (std::unique_ptr<int>& x : numbers) x = std::make_unique<int>(3);
  const auto value = [](const std::unique_ptr<int>& x) { return *x; };
  Future<int> mapped =
      AsyncMapReduce(pool(), std::move(numbers), 0, value, std::plus<>());
  numbers.clear();
  Future<int> sum = AsyncSum(pool(), std::vector<int>(1000, 2));
  Future<int> reduced =
      AsyncReduce(pool(), std::vector<int>(1000, 1), 0, std::plus<>());
  EXPECT_EQ(mapped.get(), 3000);
  EXPECT_EQ(sum.get(), 2000);
  EXPECT_EQ(reduced.get(), 1000);
}

TEST_P(AsyncReductionsTest, AViewMayGoOutOfScopeWhenItsElementsStay) {
  const std::vector<int> v(1000, 2);
  using View = IteratorRange<const int*>;
  auto view = std::make_unique<View>(v.data(), v.data() + 500);
  Future<int> reduced = AsyncReduce(pool(), *view, 0, std::plus<>());
  Future<int> sum = AsyncSum(pool(), *view);
  view.reset();
  EXPECT_EQ(reduced.get(), 1000);
  EXPECT_EQ(sum.get(), 1000);
}

TEST_P(AsyncReductionsTest, WhatIsCalledNeedsOnlyBeMovable) {
  const std::vector<int> v(1000, 1);
  const auto times = [](int weight) {
    return
        [weight = std::make_unique<int>(weight)](int x) { return *weight * x; };
  };
  const auto plus = [] {
    return [zero = std::make_unique<int>(0)](int a, int b) {
      return a + b + *zero;
    };
  };
  Future<int> reduced = AsyncReduce(pool(), v, 0, plus());
  Future<int> mapped = AsyncMapReduce(pool(), v, 0, times(2), plus());
  Future<int> indices = AsyncMapReduce(pool(), 0, 100, 0, times(2), plus());
  Future<int> sum = AsyncSum(pool(), v, times(3));
  EXPECT_EQ(reduced.get(), 1000);
  EXPECT_EQ(mapped.get(), 2000);
  EXPECT_EQ(indices.get(), 9900);
  EXPECT_EQ(sum.get(), 3000);
}

TEST_P(AsyncReductionsTest, ExceptionsReachTheOneWhoWaits) {
  const std::vector<int> v(1000, 1);
  const auto thrower = [](int) -> int { throw std::runtime_error("map"); };
  Future<int> reduced = AsyncReduce(
      pool(), v, 0, [](int, int) -> int { throw std::logic_error("reduce"); });
  Future<int> mapped = AsyncMapReduce(pool(), v, 0, thrower, std::plus<>());
  Future<int> sum = AsyncSum(pool(), v, thrower);
  Future<std::optional<int>> largest = AsyncMax(pool(), v, thrower);
  EXPECT_THROW(reduced.get(), std::logic_error);
  EXPECT_THROW(mapped.get(), std::runtime_error);
  EXPECT_THROW(sum.get(), std::runtime_error);
  EXPECT_THROW(largest.get(), std::runtime_error);
}

TEST_P(AsyncReductionsTest, AStoppedReductionHasNoValue) {
  const std::vector<int> v(1000, 1);
  const auto same = [](int x) { return x; };
  std::vector<Future<int>> stopped;
  {
    // The token is the task's own.
    CancellationSource source;
    source.Cancel();
    const CancellationToken token = source.token();
    ReduceOptions options;
    options.token = &token;
    const std::plus<> plus;
    stopped.push_back(
        AsyncReduce(pool(), v.begin(), v.end(), 0, plus, options));
    stopped.push_back(AsyncReduce(pool(), v, 0, plus, options));
    stopped.push_back(AsyncMapReduce(pool(), 0, 9, 0, same, plus, options));
    stopped.push_back(AsyncMapReduce(pool(), v, 0, same, plus, options));
    stopped.push_back(AsyncSum(pool(), v, {}, options));
    stopped.push_back(AsyncProduct(pool(), v, same, options));
  }
  for (Future<int>& future : stopped)
    EXPECT_THROW(future.get(), StoppedByToken);
}

TEST_P(AsyncReductionsTest, SumsAwaitedInAReductionEnd) {
  const std::vector<int> v(100, 1);
  const auto sum = [&](int) { return AsyncSum(pool(), v).get(); };
  EXPECT_EQ(AsyncMapReduce(pool(), 0, 50, 0, sum, std::plus<>()).get(), 5000);
}

TEST(AsyncReductions, WithoutAHostRunOnTheDefaultPool) {
  const std::vector<int> v(100, 2);
  const auto square = [](int x) { return x * x; };
  const std::plus<> plus;
  EXPECT_EQ(AsyncReduce(v.begin(), v.end(), 0, plus).get(), 200);
  EXPECT_EQ(AsyncReduce(v, 0, plus).get(), 200);
  EXPECT_EQ(AsyncMapReduce(0, 5, 0, square, plus).get(), 30);
  EXPECT_EQ(AsyncMapReduce(v.begin(), v.end(), 0, square, plus).get(), 400);
  EXPECT_EQ(AsyncMapReduce(v, 0, square, plus).get(), 400);
  EXPECT_EQ(AsyncSum(v).get(), 200);
  EXPECT_EQ(AsyncSum(v.begin(), v.end(), square).get(), 400);
  EXPECT_EQ(AsyncProduct(v.begin(), v.begin() + 3).get(), 8);
  EXPECT_EQ(AsyncMin(v, square).get(), 4);
  EXPECT_EQ(AsyncMax(std::vector<int>{1, 5, 3}).get(), 5);
}

TEST(AsyncReductions, RunInTheThreadThatWaitsOnASerialExecutor) {
  SerialExecutor serial;
  const std::vector<int> v(1000, 2);
  const std::thread::id self = std::this_thread::get_id();
  Future<int> sum = AsyncSum(serial, v, [self](int x) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    return x;
  });
  EXPECT_EQ(sum.get(), 2000);
}

}  // namespace
}  // namespace ceres::parallel
