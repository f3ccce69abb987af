// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parallel_reduce.h"

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

class ParallelReduceTest : public ForEachPool {
 protected:
  // A sum whose rounding depends on the order of its terms.
  double Sum(int n, const LoopOptions& options) {
    return ParallelReduce(
        pool(), 0, n, 0.0, [](int i) { return std::sin(i) * std::exp(i % 37); },
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
      [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); },
      [](std::string a, const std::string& b) { return a + b; });
  ASSERT_EQ(text.size(), 300u);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(text[i], 'a' + i % 26);
}

TEST_P(ParallelReduceTest, EmptyRangeIsTheIdentity) {
  const auto map = [](int) { return 1; };
  const auto add = [](int a, int b) { return a + b; };
  EXPECT_EQ(ParallelReduce(pool(), 3, 3, 17, map, add), 17);
  EXPECT_EQ(ParallelReduce(pool(), 3, 2, 17, map, add), 17);
}

// 2 x 2 integer matrices modulo 2^64: associative, not commutative.
struct Matrix {
  std::uint64_t a, b, c, d;
  friend Matrix operator*(const Matrix& x, const Matrix& y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
  friend bool operator==(const Matrix& x, const Matrix& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
};

TEST_P(ParallelReduceTest, ElementsAreCombinedInOrder) {
  std::vector<Matrix> factors;
  for (std::uint64_t i = 0; i < 1000; ++i) factors.push_back({i, 1, 3, i + 7});
  const Matrix identity = {1, 0, 0, 1};
  Matrix expected = identity;
  for (const Matrix& factor : factors) expected = expected * factor;
  EXPECT_EQ(ParallelReduce(pool(), factors.begin(), factors.end(), identity,
                           std::multiplies<>()),
            expected);
  const std::deque<Matrix> deque(factors.begin(), factors.end());
  EXPECT_EQ(ParallelReduce(pool(), deque, identity, std::multiplies<>()),
            expected);
}

TEST_P(ParallelReduceTest, TheScheduleDoesNotChangeTheResult) {
  const double expected = Sum(54321, {1, 1});
  for (const Schedule schedule :
       {Schedule::kAdaptive, Schedule::kStatic, Schedule::kDynamic}) {
    for (const int max_threads : {0, 1, 2, 3, 8}) {
      EXPECT_EQ(Sum(54321, {max_threads, 1, schedule}), expected);
    }
  }
}

TEST_P(ParallelReduceTest, AProductIsThatOfTheClosedForm) {
  const std::vector<std::uint64_t> threes(1000, 3);
  std::uint64_t expected = 1;
  for (int i = 0; i < 1000; ++i) expected *= 3;
  EXPECT_EQ(
      ParallelReduce(pool(), threes, std::uint64_t{1}, std::multiplies<>()),
      expected);
}

TEST_P(ParallelReduceTest, TheIdentityTakesPartOnce) {
  for (const int n : {0, 1, 100, 1000, 100000}) {
    const std::vector<int> ones(n, 1);
    EXPECT_EQ(ParallelReduce(pool(), ones, 5, std::plus<>()), n + 5);
    EXPECT_EQ(ParallelReduce(
                  pool(), 0, n, 5, [](int) { return 1; }, std::plus<>()),
              n + 5);
  }
}

TEST_P(ParallelReduceTest, ReductionsOfElementsHaveTheSameBits) {
  std::vector<double> v(54321);
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = std::sin(static_cast<double>(i)) * 1e3;
  }
  const auto square = [](double x) { return x * x; };
  for (const std::int64_t grain : {0, 1, 100, 10000, 100000}) {
    const LoopOptions serial = {1, grain};
    const double sum = ParallelReduce(pool(), v, 0.0, std::plus<>(), serial);
    const double squares =
        ParallelReduce(pool(), v, 0.0, square, std::plus<>(), serial);
    for (const int max_threads : {0, 2, 3, 4, 8}) {
      const LoopOptions options = {max_threads, grain};
      EXPECT_EQ(ParallelReduce(pool(), v, 0.0, std::plus<>(), options), sum);
      EXPECT_EQ(ParallelReduce(pool(), v, 0.0, square, std::plus<>(), options),
                squares);
    }
  }
}

// A type without a default value, which can only be moved.
class Word {
 public:
  explicit Word(std::string text)
      : text_(std::make_unique<std::string>(std::move(text))) {}
  const std::string& text() const { return *text_; }

 private:
  std::unique_ptr<std::string> text_;
};

TEST_P(ParallelReduceTest, ValuesNeedOnlyBeMovable) {
  const std::vector<std::string> words = {"to", "parallelize", "or", "not"};
  const Word longest = ParallelReduce(
      pool(), words, Word(""),
      [](const std::string& word) { return Word(word); },
      [](Word a, Word b) {
        return a.text().size() < b.text().size() ? std::move(b) : std::move(a);
      });
  EXPECT_EQ(longest.text(), "parallelize");
}

TEST_P(ParallelReduceTest, AMapTakesIndicesIteratorsAndContainers) {
  const auto twice = [](int x) { return 2 * x; };
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  EXPECT_EQ(ParallelReduce(pool(), 0, 1000, 0, twice, std::plus<>()), 999000);
  EXPECT_EQ(ParallelReduce(pool(), v.begin(), v.end(), 0, twice, std::plus<>()),
            999000);
  EXPECT_EQ(
      ParallelReduce(pool(), v.data(), v.data() + 10, 0, twice, std::plus<>()),
      90);
  EXPECT_EQ(ParallelReduce(pool(), v, 0, twice, std::plus<>()), 999000);
}

TEST_P(ParallelReduceTest, ExceptionsOfOperationsReachTheCaller) {
  std::vector<int> v(1000, 1);
  const auto throw_at_elements = [](int a, int b) {
    if (b == -1) throw std::runtime_error("element");
    return a + b;
  };
  const auto throw_at_partials = [](int a, int b) {
    if (b != 1) throw std::runtime_error("partial");
    return a + b;
  };
  EXPECT_THROW(ParallelReduce(pool(), v, 0, throw_at_partials, {0, 10}),
               std::runtime_error);
  v[700] = -1;
  EXPECT_THROW(ParallelReduce(pool(), v, 0, throw_at_elements),
               std::runtime_error);
}

TEST(ParallelReduce, WithoutAHostRunsOnTheDefaultPool) {
  const std::vector<int> v(1000, 2);
  EXPECT_EQ(ParallelReduce(v, 0, std::plus<>()), 2000);
  EXPECT_EQ(ParallelReduce(v.begin(), v.end(), 0, std::plus<>()), 2000);
  EXPECT_EQ(
      ParallelReduce(v.begin(), v.end(), 0, std::plus<>(), LoopOptions{1}),
      2000);
  EXPECT_EQ(ParallelReduce(
                0, 1000, 0, [&](int i) { return v[i]; }, std::plus<>()),
            2000);
}

// The first runs are timed and shared, the later ones are plain loops. Products
// that were part of a fused multiply-add would have other bits.
TEST(ParallelReduce, ShortRunsHaveTheBitsOfTheFirst) {
  for (const int workers : {0, 1, 3}) {
    ThreadPool pool(workers);
    std::vector<double> x(40);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / (3.0 + i);
    double first = 0.0;
    for (int run = 0; run < 3000; ++run) {
      const double sum = ParallelReduce(
          pool, std::size_t{0}, x.size(), 0.0,
          [&](std::size_t i) { return x[i] * x[x.size() - 1 - i]; },
          std::plus<>());
      if (run == 0) first = sum;
      ASSERT_EQ(sum, first) << run;
    }
  }
}

// In plain runs, too, the first exception of the map reaches the caller, and
// the next run is right.
TEST(ParallelReduce, ExceptionsOfShortRunsReachTheCaller) {
  ThreadPool pool(1);
  const auto count = [&](int thrower) {
    return ParallelReduce(
        pool, 0, 10, 0,
        [&](int i) {
          if (i == thrower) throw std::runtime_error("thrown");
          return 1;
        },
        std::plus<>());
  };
  for (int run = 0; run < 2000; ++run) ASSERT_EQ(count(-1), 10);
  for (int run = 0; run < 20; ++run) {
    EXPECT_THROW(count(run % 10), std::runtime_error);
    EXPECT_EQ(count(-1), 10);
  }
}

TEST(ReduceBlocks, CoverTheRangeAndDependOnLengthAndGrainAlone) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 1000, 12345}) {
    for (const std::int64_t grain : {1, 10, 1000}) {
      const int blocks = detail::NumReduceBlocks(n, grain);
      ASSERT_LE(blocks, detail::kMaxReduceBlocks);
      std::int64_t next = 5;
      for (int k = 0; k < blocks; ++k) {
        const IndexRange block =
            detail::ReduceBlocks<std::int64_t>(5, n, blocks)[k];
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
