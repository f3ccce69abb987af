// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/async_loops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using Range = BasicIndexRange<int>;

class AsyncLoopsTest : public ForEachPool {};
INSTANTIATE_TEST_SUITE_P(Pools, AsyncLoopsTest, ::testing::ValuesIn(AllPools()),
                         PoolName);

// 0, 1, ..., n - 1.
std::vector<int> Numbers(int n) {
  std::vector<int> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_P(AsyncLoopsTest, AnAwaitedLoopHasVisitedEveryIndexOnce) {
  std::vector<int> calls(5000, 0);
  Future<Status> by_index =
      AsyncFor(pool(), 0, 5000, [&calls](int i) { ++calls[i]; });
  EXPECT_EQ(by_index.get(), Status::kCompleted);
  Future<Status> by_element = AsyncFor(pool(), calls.begin(), calls.end(),
                                       [](int& x) { ++x; }, {3, 10});
  EXPECT_EQ(by_element.get(), Status::kCompleted);
  for (const int count : calls) ASSERT_EQ(count, 2);
}

TEST_P(AsyncLoopsTest, AnAwaitedLoopHasVisitedEveryElementOnce) {
  const std::vector<int> expected(1000, 1);
  std::vector<int> vector(1000, 0);
  std::deque<int> deque(1000, 0);
  std::array<int, 1000> array = {};
  int plain[1000] = {};
  const auto increment = [](int& x) { ++x; };
  std::vector<Future<Status>> loops;
  loops.push_back(AsyncForEach(pool(), vector, increment));
  loops.push_back(AsyncForEach(pool(), deque, increment, {3, 10}));
  loops.push_back(AsyncForEach(pool(), array, increment));
  loops.push_back(AsyncForEach(pool(), plain, increment));
  for (Future<Status>& loop : loops) EXPECT_EQ(loop.get(), Status::kCompleted);
  EXPECT_EQ(vector, expected);
  EXPECT_EQ(std::vector<int>(deque.begin(), deque.end()), expected);
  EXPECT_EQ(std::vector<int>(array.begin(), array.end()), expected);
  EXPECT_EQ(std::vector<int>(plain, plain + 1000), expected);
}

TEST_P(AsyncLoopsTest, BodiesForElementsHaveTheFormsOfTheBlockingLoop) {
  using Elements = IteratorRange<std::vector<int>::iterator>;
  std::vector<int> v(1000, 0);
  AsyncForEach(pool(), v, [this](Participant participant, int& x) {
    EXPECT_LE(participant, num_workers());
    ++x;
  }).get();
  AsyncForEach(pool(), v, [](Elements elements) {
    EXPECT_FALSE(elements.empty());
    for (int& x : elements) ++x;
  }).get();
  EXPECT_EQ(v, std::vector<int>(1000, 2));
  // The elements of a constant container are constant.
  AsyncForEach(pool(), std::as_const(v), [](auto& x) {
    static_assert(std::is_same_v<decltype(x), const int&>);
  }).get();
}

TEST_P(AsyncLoopsTest, ATemporaryContainerIsTheTasksOwn) {
  std::vector<std::unique_ptr<int>> numbers(1000);
  for (std::unique_ptr<int>& x : numbers) x = std::make_unique<int>(3);
  std::atomic<int> sum{0};
  Future<Status> loop =
      AsyncForEach(pool(), std::move(numbers),
                   [&sum](const std::unique_ptr<int>& x) { sum += *x; });
  numbers.clear();
  EXPECT_EQ(loop.get(), Status::kCompleted);
  EXPECT_EQ(sum, 3000);
  DetachForEach(pool(), std::vector<int>(1000, 2), [&sum](int x) { sum += x; });
  pool().WaitForAll();
  EXPECT_EQ(sum, 5000);
}

TEST_P(AsyncLoopsTest, AViewMayGoOutOfScopeWhenItsElementsStay) {
  std::vector<int> v(1000, 0);
  std::optional<Future<Status>> loop;
  {
    auto view = std::make_unique<IteratorRange<int*>>(v.data(), v.data() + 500);
    loop = AsyncForEach(pool(), *view, [](int& x) { ++x; });
    DetachForEach(pool(), IteratorRange(v.data() + 500, v.data() + 1000),
                  [](int& x) { ++x; });
  }
  EXPECT_EQ(loop->get(), Status::kCompleted);
  pool().WaitForAll();
  EXPECT_EQ(v, std::vector<int>(1000, 1));
}

// The pieces that run(body) hands to its body, in order.
template <typename Run>
std::vector<std::pair<int, int>> PiecesOf(const Run& run) {
  std::mutex mutex;
  std::vector<std::pair<int, int>> pieces;
  run([&](Range range) {
    const std::lock_guard<std::mutex> lock(mutex);
    pieces.emplace_back(range.begin, range.end);
  });
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

TEST_P(AsyncLoopsTest, LoopsByCostAreCutAsTheBlockingOneIs) {
  const auto cost = [](int i) { return 0.5 * i * (i - 1.0); };
  std::vector<double> costs(5001);
  for (int i = 0; i <= 5000; ++i) costs[i] = cost(i);
  const double* const first = costs.data();
  for (const int begin : {0, 1, 4999, 5000}) {
    const auto expected = PiecesOf([&](const auto& body) {
      ParallelForByCost(pool(), begin, 5000, cost, body);
    });
    const auto expect_pieces = [&](const auto& any_costs) {
      EXPECT_EQ(PiecesOf([&](const auto& body) {
                  AsyncForByCost(pool(), begin, 5000, any_costs, body).get();
                }),
                expected);
    };
    expect_pieces(cost);
    expect_pieces(costs);
    expect_pieces(first);
    EXPECT_EQ(PiecesOf([&](const auto& body) {
                AsyncForByCost(pool(), begin, 5000, std::vector<double>(costs),
                               body)
                    .get();
              }),
              expected);
    EXPECT_EQ(PiecesOf([&](const auto& body) {
                DetachForByCost(pool(), begin, 5000, costs, body);
                pool().WaitForAll();
              }),
              expected);
  }
}

TEST_P(AsyncLoopsTest, CostsInAContainerAreNotCopied) {
  struct Costs : std::vector<int> {
    using std::vector<int>::vector;
    Costs(const Costs&) = delete;
  };
  const Costs costs(101, 0);
  std::atomic<int> calls{0};
  AsyncForByCost(pool(), 0, 100, costs, [&calls](int) { ++calls; }).get();
  const int plain[] = {0, 1, 5, 6};
  DetachForByCost(pool(), 0, 3, plain, [&calls](int) { ++calls; });
  pool().WaitForAll();
  EXPECT_EQ(calls, 103);
}

TEST_P(AsyncLoopsTest, TheBodyAndTheTokenAreTheTasksOwn) {
  std::atomic<int> sum{0};
  std::optional<Future<Status>> loop;
  {
    CancellationSource source;
    const CancellationToken token = source.token();
    LoopOptions options;
    options.token = &token;
    auto weight = std::make_unique<int>(3);
    loop = AsyncFor(
        pool(), 0, 1000,
        [weight = std::move(weight), &sum](int) { sum += *weight; }, options);
  }
  EXPECT_EQ(loop->get(), Status::kCompleted);
  EXPECT_EQ(sum, 3000);
}

TEST_P(AsyncLoopsTest, BodiesAndCostsNeedOnlyBeMovable) {
  std::atomic<int> sum{0};
  const std::vector<int> v(1000, 1);
  const auto make_body = [&sum](int weight) {
    return
        [weight = std::make_unique<int>(weight), &sum](int) { sum += *weight; };
  };
  const auto make_cost = [] {
    return [unit = std::make_unique<double>(0.5)](int i) { return *unit * i; };
  };
  {
    CancellationSource source;
    const CancellationToken token = source.token();
    LoopOptions options;
    options.token = &token;
    DetachForEach(pool(), v, make_body(1), options);
    DetachForByCost(pool(), 0, 1000, make_cost(), make_body(10), options);
    DetachFor(pool(), 0, 1000, make_body(100), options);
  }
  pool().WaitForAll();
  EXPECT_EQ(sum, 111000);
  Future<Status> elements = AsyncForEach(pool(), v, make_body(2));
  Future<Status> by_cost =
      AsyncForByCost(pool(), 0, 1000, make_cost(), make_body(20));
  EXPECT_EQ(elements.get(), Status::kCompleted);
  EXPECT_EQ(by_cost.get(), Status::kCompleted);
  EXPECT_EQ(sum, 133000);
}

TEST_P(AsyncLoopsTest, ATokenStopsLoopsThatNobodyWaitsForYet) {
  CancellationSource source;
  const CancellationToken token = source.token();
  LoopOptions options;
  options.token = &token;
  options.schedule = Schedule::kDynamic;
  // Each thread is at one index or element, or at one of its 8 pieces by cost.
  std::atomic<int> calls{0};
  const auto body = [&calls, token](int) {
    ++calls;
    while (!token.IsCancelled()) std::this_thread::yield();
  };
  const auto cost = [](int i) { return i; };
  const std::vector<int> v(1000, 0);
  std::vector<Future<Status>> loops;
  loops.push_back(AsyncFor(pool(), 0, 1000, body, options));
  loops.push_back(AsyncForEach(pool(), v, body, options));
  loops.push_back(AsyncForByCost(pool(), 0, 1000, cost, body, options));
  source.Cancel();
  for (Future<Status>& loop : loops) EXPECT_EQ(loop.get(), Status::kCancelled);
  EXPECT_LT(calls, 1000);
}

TEST_P(AsyncLoopsTest, ATokenOfTheTasksOwnStopsADetachedLoop) {
  std::atomic<int> calls{0};
  const std::vector<int> v(1000, 0);
  const auto count = [&calls](int) { ++calls; };
  {
    CancellationSource source;
    source.Cancel();
    const CancellationToken token = source.token();
    LoopOptions options;
    options.token = &token;
    DetachFor(pool(), 0, 1000, count, options);
    DetachForEach(pool(), v, count, options);
    DetachForByCost(
        pool(), 0, 1000, [](int i) { return i; }, count, options);
  }
  pool().WaitForAll();
  EXPECT_EQ(calls, 0);
}

TEST_P(AsyncLoopsTest, ExceptionsReachTheOneWhoWaits) {
  const auto thrower = [](int i) {
    if (i == 70) throw std::runtime_error("70");
  };
  const auto cost = [](int i) { return i; };
  const std::vector<int> v = Numbers(100);
  std::vector<Future<Status>> loops;
  loops.push_back(AsyncFor(pool(), 0, 100, thrower));
  loops.push_back(AsyncForEach(pool(), v, thrower));
  loops.push_back(AsyncForByCost(pool(), 0, 100, cost, thrower));
  loops.push_back(AsyncForByCost(
      pool(), 0, 100, [](int) -> int { throw std::runtime_error("cost"); },
      [](int) {}));
  for (Future<Status>& loop : loops) {
    EXPECT_THROW(loop.get(), std::runtime_error);
  }
  Future<Status> bounds = AsyncForByCost(
      pool(), -1, 100u, [](unsigned i) { return i; }, [](unsigned) {});
  EXPECT_THROW(bounds.get(), std::invalid_argument);
}

TEST_P(AsyncLoopsTest, ALoopAwaitedInALoopEnds) {
  std::atomic<int> calls{0};
  ParallelFor(pool(), 0, 10, [&](int) {
    AsyncFor(pool(), 0, 10, [&](int) {
      AsyncFor(pool(), 0, 10, [&](int) { ++calls; }).get();
    }).get();
  });
  EXPECT_EQ(calls, 1000);
}

TEST_P(AsyncLoopsTest, WhatDetachedLoopsThrowGoesToTheHandlerOfThePool) {
  std::mutex mutex;
  std::vector<std::string> messages;
  pool().SetExceptionHandler([&](const std::exception_ptr& error) {
    const std::lock_guard<std::mutex> lock(mutex);
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& exception) {
      messages.push_back(exception.what());
    }
  });
  const std::vector<int> v = Numbers(1000);
  const auto thrower = [](const char* what) {
    return [what](int i) {
      if (i == 700) throw std::runtime_error(what);
    };
  };
  const auto cost = [](int i) { return i; };
  DetachFor(pool(), 0, 1000, thrower("indices"));
  DetachFor(pool(), v.begin(), v.end(), thrower("iterators"));
  DetachForEach(pool(), v, thrower("elements"));
  DetachForByCost(pool(), 0, 1000, cost, thrower("by cost"));
  DetachForByCost(
      pool(), 0, 1000, [](int) -> int { throw std::logic_error("cost"); },
      [](int) {});
  pool().WaitForAll();
  std::sort(messages.begin(), messages.end());
  EXPECT_EQ(messages, (std::vector<std::string>{"by cost", "cost", "elements",
                                                "indices", "iterators"}));
}

TEST(AsyncLoops, WithoutAHostRunOnTheDefaultPool) {
  std::atomic<int> calls{0};
  const auto count = [&calls](int) { ++calls; };
  const auto cost = [](int i) { return i; };
  const std::vector<int> v(100, 2);
  AsyncFor(0, 100, count).get();
  AsyncForEach(v, count, {2}).get();
  AsyncForByCost(0, 100, cost, count).get();
  EXPECT_EQ(calls, 300);
  DetachFor(0, 100, count);
  DetachForEach(v, count);
  DetachForByCost(0, 100, cost, count);
  ThreadPool::Default().WaitForAll();
  EXPECT_EQ(calls, 600);
}

}  // namespace
}  // namespace ceres::parallel
