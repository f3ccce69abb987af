// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/loops.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "ceres/context.h"
#include "ceres/execution/context_impl.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

class LoopsTest : public ::testing::TestWithParam<int> {
 protected:
  LoopsTest() {
    context_.EnsureMinimumThreads(GetParam());
    context_.thread_pool().SetRunningLimit(64);
    context_.thread_pool().SetSharing(parallel::Sharing::kAlways);
  }

  int num_threads() const { return GetParam(); }
  ContextImpl* context() { return &context_; }
  Execution exec() { return {&context_, GetParam()}; }

 private:
  ContextImpl context_;
};
INSTANTIATE_TEST_SUITE_P(Threads, LoopsTest, ::testing::Values(1, 2, 4, 8));

TEST_P(LoopsTest, EveryFormOfBodyVisitsEveryIndexOnce) {
  std::vector<int> calls(1000, 0);
  ParallelFor(context(), 0, 1000, num_threads(), [&](int i) { ++calls[i]; });
  ParallelFor(exec(), 0, 1000, [&](int thread_id, int i) {
    EXPECT_GE(thread_id, 0);
    EXPECT_LT(thread_id, num_threads());
    ++calls[i];
  });
  ParallelFor(exec(), 0, 1000, [&](IndexRange range) {
    for (int i = range.begin; i < range.end; ++i) ++calls[i];
  });
  ParallelFor(
      exec(), 0, 1000,
      [&](int thread_id, IndexRange range) {
        EXPECT_LT(thread_id, num_threads());
        for (int i = range.begin; i < range.end; ++i) ++calls[i];
      },
      /*min_block_size=*/100);
  for (const int count : calls) ASSERT_EQ(count, 4);
}

TEST(Loops, WithoutAContextRunInOrderInTheCaller) {
  std::vector<int> order;
  ParallelFor(nullptr, 3, 100, 8, [&](int thread_id, int i) {
    EXPECT_EQ(thread_id, 0);
    order.push_back(i);
  });
  ASSERT_EQ(order.size(), 97u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_P(LoopsTest, ByCostVisitsEveryIndexOnceWhateverTheCosts) {
  constexpr int kN = 500;
  const std::vector<std::vector<int>> shapes = {
      std::vector<int>(kN, 1),
      std::vector<int>(kN, 0),
      [] {
        std::vector<int> costs(kN, 1);
        costs[0] = 1000000;
        return costs;
      }(),
      [] {
        std::vector<int> costs(kN, 0);
        costs[kN - 1] = 7;
        return costs;
      }(),
  };
  for (const std::vector<int>& costs : shapes) {
    std::vector<int> cumulative(kN + 1, 0);
    for (int i = 0; i < kN; ++i) cumulative[i + 1] = cumulative[i] + costs[i];
    for (const int start : {0, 1, 250, kN - 1, kN}) {
      std::vector<int> calls(kN, 0);
      ParallelForByCost(exec(), start, kN, cumulative.data(),
                        [&](int i) { ++calls[i]; });
      for (int i = 0; i < kN; ++i) ASSERT_EQ(calls[i], i >= start ? 1 : 0);
    }
  }
}

TEST(Loops, ByCostCutsPiecesOfEqualCost) {
  ContextImpl context;
  context.EnsureMinimumThreads(4);
  constexpr int kN = 10000;
  std::vector<double> cumulative(kN + 1, 0.0);
  for (int i = 0; i < kN; ++i) cumulative[i + 1] = cumulative[i] + i;
  std::atomic<int> pieces{0};
  const double share =
      cumulative[kN] / parallel::detail::NumCostPieces(kN, 4, 1);
  ParallelForByCost(
      Execution{&context, 4}, 0, kN, cumulative.data(), [&](IndexRange range) {
        const double cost = cumulative[range.end] - cumulative[range.begin];
        EXPECT_NEAR(cost, share, kN);
        pieces.fetch_add(1);
      });
  EXPECT_EQ(pieces, parallel::detail::NumCostPieces(kN, 4, 1));
}

TEST_P(LoopsTest, ReductionHasTheBitsOfTheSerialOne) {
  const auto map = [](IndexRange range) {
    double sum = 0.0;
    for (int i = range.begin; i < range.end; ++i) sum += 1.0 / (1.0 + i);
    return sum;
  };
  const auto add = [](double a, double b) { return a + b; };
  const double serial = ParallelReduce(Execution(), 0, 12345, 0.0, map, add);
  EXPECT_EQ(ParallelReduce(exec(), 0, 12345, 0.0, map, add), serial);
}

TEST_P(LoopsTest, InvokeCallsEachFunctionOnce) {
  int calls[3] = {0, 0, 0};
  ParallelInvoke(
      exec(), [&] { ++calls[0]; }, [&] { ++calls[1]; }, [&] { ++calls[2]; });
  for (const int count : calls) EXPECT_EQ(count, 1);
}

TEST(Context, EachHasAPool) {
  class UsersContext : public Context {};
  Context plain;
  UsersContext derived;
  ContextImpl own;
  for (Context* context : {&plain, static_cast<Context*>(&derived)}) {
    ContextImpl* const impl = ContextImpl::Of(context);
    impl->EnsureMinimumThreads(2);
    EXPECT_EQ(impl->thread_pool().NumWorkers(), 1);
  }
  EXPECT_EQ(ContextImpl::Of(&own), &own);
}

TEST(Context, CreateMakesAContextWithAPool) {
  const std::unique_ptr<Context> context(Context::Create());
  ContextImpl* const impl = ContextImpl::Of(context.get());
  EXPECT_EQ(impl->thread_pool().NumWorkers(), 0);
  impl->EnsureMinimumThreads(4);
  EXPECT_EQ(impl->thread_pool().NumWorkers(), 3);
  impl->EnsureMinimumThreads(2);
  EXPECT_EQ(impl->thread_pool().NumWorkers(), 3);
}

}  // namespace
}  // namespace ceres::internal
