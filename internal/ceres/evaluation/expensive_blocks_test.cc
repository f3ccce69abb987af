// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Evaluators of few rows that take long.

#include "ceres/evaluation/expensive_blocks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/evaluation/slow_cost.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/problem/cost_function_batch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A problem of residual blocks that differ, and evaluators of it.
class ExpensiveBlocksTest : public testing::Test {
 protected:
  // `num_blocks` slow ones, each of x and one of its own.
  void AddSlowBlocks(int num_blocks, int num_residuals, int size,
                     LossFunction* loss = nullptr, int size_of_x = 3) {
    x.assign(size_of_x, 0.25);
    y.assign(static_cast<std::size_t>(num_blocks) * size, 0.5);
    for (int i = 0; i < num_blocks; ++i) {
      problem.AddResidualBlock(
          new SlowCost(&rendezvous, num_residuals, {size_of_x, size}, i), loss,
          x.data(), &y[static_cast<std::size_t>(i) * size]);
    }
  }

  void AddBlock(FunctionCost::Function function) {
    if (x.empty()) x.assign(3, 0.25);
    problem.AddResidualBlock(new FunctionCost(1, {3}, std::move(function)),
                             nullptr, x.data());
  }

  void MakeEvaluator(int num_threads) {
    Evaluator::Options options;
    options.execution = Threads(num_threads);
    options.execution.stop = &stop;
    evaluator = std::make_unique<ProblemEvaluator>(&problem, options);
  }

  // The cost alone, of an evaluation that succeeds.
  double EvaluateCost() {
    double cost = 0.0;
    EXPECT_TRUE(evaluator->evaluator.EvaluateCost(evaluator->state.data(), true,
                                                  &cost, nullptr));
    return cost;
  }

  // That evaluations are shared, and give what one thread gives, when costs are
  // not known yet and when they are.
  void ExpectSharedWithSameBits() {
    MakeEvaluator(1);
    const Outputs serial = evaluator->EvaluateAll();
    ASSERT_TRUE(serial.result) << serial.result.message;
    EXPECT_EQ(serial.cost, serial.cost_alone);
    for (const int num_threads : {2, 3, 4, 8}) {
      MakeEvaluator(num_threads);
      for (int repeat = 0; repeat < 2; ++repeat) {
        rendezvous.Begin(num_threads);
        const Outputs out = evaluator->EvaluateAll();
        EXPECT_TRUE(rendezvous.met()) << num_threads << " threads";
        ExpectSameBits(out, serial);
      }
    }
  }

  std::vector<double> x;
  std::vector<double> y;
  Rendezvous rendezvous;
  Problem problem;
  StopSignal stop;
  std::unique_ptr<ProblemEvaluator> evaluator;
};

TEST_F(ExpensiveBlocksTest, RowsOfASmallProblemAreShared) {
  AddSlowBlocks(16, 1, 1);
  ExpectSharedWithSameBits();
}

TEST_F(ExpensiveBlocksTest, SoAreThoseOfScalars) {
  AddSlowBlocks(16, 1, 1, nullptr, /*size_of_x=*/1);
  ExpectSharedWithSameBits();
}

TEST_F(ExpensiveBlocksTest, SoAreRowsOfResidualBatches) {
  constexpr int kRows = 16;
  x.assign(3, 0.25);
  y.assign(2 * kRows, 0.5);
  CostFunctionBatch::Functions functions;
  std::vector<std::int32_t> indices;
  for (int i = 0; i < kRows; ++i) {
    functions.push_back(
        std::make_unique<SlowCost>(&rendezvous, 2, std::vector<int>{3, 2}, i));
    indices.push_back(i);
  }
  problem.AddResidualBatch(
      std::make_unique<CostFunctionBatch>(2, std::vector<std::int32_t>{3, 2},
                                          std::move(functions)),
      new HuberLoss(0.1),
      {x.data(), {problem.AddParameterArray(y.data(), kRows, 2), indices}});
  ExpectSharedWithSameBits();
}

TEST_F(ExpensiveBlocksTest, SoAreThoseWithLossFunctionsAndManifolds) {
  AddSlowBlocks(16, 2, 4, new HuberLoss(0.1));
  problem.SetManifold(x.data(), new SphereManifold<3>);
  for (int i = 0; i < 16; i += 2) {
    problem.SetManifold(&y[4 * i], new QuaternionManifold);
  }
  ExpectSharedWithSameBits();
}

TEST_F(ExpensiveBlocksTest, SoAreThoseOfAFewRowChunks) {
  AddSlowBlocks(16, 40, 60);
  ExpectSharedWithSameBits();
  EXPECT_GT(evaluator->structure.num_row_chunks(), 2);
  EXPECT_LT(evaluator->structure.num_row_chunks(), 8);
}

TEST_F(ExpensiveBlocksTest, OneRowChunkMayBeExpensiveAmongMany) {
  AddSlowBlocks(12, 4, 2);
  std::vector<double> z(600, 0.125);
  for (int i = 0; i < 600; ++i) {
    problem.AddResidualBlock(new SineCost(40, {3, 1}, i), nullptr, x.data(),
                             &z[i]);
  }
  ExpectSharedWithSameBits();
  EXPECT_GT(evaluator->structure.num_row_chunks(), 8);
}

TEST_F(ExpensiveBlocksTest, ResidualsNeedNotBeWanted) {
  AddSlowBlocks(16, 2, 2, new CauchyLoss(0.5));
  MakeEvaluator(1);
  const double cost = EvaluateCost();
  MakeEvaluator(4);
  rendezvous.Begin(4);
  EXPECT_EQ(EvaluateCost(), cost);
  EXPECT_TRUE(rendezvous.met());
}

TEST_F(ExpensiveBlocksTest, ThoseThatTookLongestAreBegunWith) {
  constexpr int kNumBlocks = 40;
  constexpr int kLong = 37;
  std::atomic<int> next{0};
  std::vector<int> place(kNumBlocks);
  for (int i = 0; i < kNumBlocks; ++i) {
    AddBlock([i, &next, &place, this](auto, double* residuals, auto) {
      place[i] = next.fetch_add(1);
      rendezvous.clock().Advance(
          std::chrono::microseconds(i == kLong ? 20000 : 200));
      residuals[0] = 1.0;
      return true;
    });
  }
  MakeEvaluator(2);
  for (int repeat = 0; repeat < 2; ++repeat) {
    next = 0;
    EXPECT_EQ(EvaluateCost(), kNumBlocks / 2);
  }
  EXPECT_LT(place[kLong], kNumBlocks / 2);
}

// Blocks of which the test says when they fail.
class ExpensiveFailuresTest : public ExpensiveBlocksTest {
 protected:
  static constexpr int kNumBlocks = 24;

  // bad(i, residuals, jacobian) -> success; jacobian may be null.
  template <typename Bad>
  void AddBlocks(Bad bad) {
    for (int i = 0; i < kNumBlocks; ++i) {
      AddBlock([i, bad, this](auto, double* residuals, double** jacobians) {
        rendezvous.Attend();
        residuals[0] = i;
        double* const jacobian = jacobians == nullptr ? nullptr : jacobians[0];
        if (jacobian != nullptr) std::fill_n(jacobian, 3, 1.0);
        return bad(i, residuals, jacobian);
      });
    }
  }

  // Checks a first evaluation, and one whose costs are known.
  void ExpectMessages(const std::string& which, const std::string& why) {
    // As users have them, and in the general code.
    for (const bool with_loss : {false, true}) {
      if (with_loss) {
        problem.AddResidualBlock(new SineCost(1, {3}, 0), new HuberLoss(1.0),
                                 x.data());
      }
      for (const int num_threads : {1, 2, 8}) {
        MakeEvaluator(num_threads);
        for (int repeat = 0; repeat < 2; ++repeat) {
          const Outputs out = evaluator->EvaluateAll();
          EXPECT_FALSE(out.result);
          EXPECT_THAT(out.result.message, HasSubstr(which));
          EXPECT_THAT(out.result.message, HasSubstr(why));
          EXPECT_EQ(out.cost, -1.0);
        }
      }
    }
  }
};

TEST_F(ExpensiveFailuresTest, TheFirstInTheOrderOfRowsIsReported) {
  AddBlocks([](int i, double*, double*) { return i != 11 && i < 19; });
  ExpectMessages("Residual block 11", "returned false");
}

TEST_F(ExpensiveFailuresTest, AnEarlierNanComesBeforeALaterFalse) {
  AddBlocks([](int i, double*, double* jacobian) {
    if (i == 9 && jacobian != nullptr) jacobian[1] = kNan;
    return i != 17;
  });
  ExpectMessages("Residual block 9", "nan");
}

TEST_F(ExpensiveFailuresTest, ANanIsFoundWhereNothingElseFails) {
  AddBlocks([](int i, double* residuals, double*) {
    if (i == 20) residuals[0] = kNan;
    return true;
  });
  ExpectMessages("Residual block 20", "nan");
}

TEST_F(ExpensiveFailuresTest, ExceptionsReachTheCallerAndTheEvaluatorGoesOn) {
  std::atomic<bool> throws{true};
  AddBlocks([&throws](int i, double*, double*) {
    if (i == 13 && throws) throw std::runtime_error("block 13");
    return true;
  });
  MakeEvaluator(1);
  throws = false;
  const Outputs serial = evaluator->EvaluateAll();
  MakeEvaluator(4);
  for (int repeat = 0; repeat < 3; ++repeat) {
    throws = true;
    EXPECT_THROW(evaluator->EvaluateAll(), std::runtime_error);
    throws = false;
    const Outputs out = evaluator->EvaluateAll();
    ExpectSameBits(out, serial);
  }
}

TEST_F(ExpensiveFailuresTest, ASignalStopsBetweenRows) {
  parallel::CancellationSource source;
  std::atomic<int> num_calls{0};
  for (int i = 0; i < kNumBlocks; ++i) {
    AddBlock([&, i](auto, double* residuals, auto) {
      if (i == 3) source.Cancel();
      num_calls.fetch_add(1);
      rendezvous.Attend();
      residuals[0] = 1.0;
      return true;
    });
  }
  for (const int num_threads : {1, 4}) {
    stop.Set(source.token(), StopSignal::Clock::time_point::max());
    MakeEvaluator(num_threads);
    num_calls = 0;
    EXPECT_THROW(EvaluateCost(), Stopped);
    EXPECT_LT(num_calls, kNumBlocks);
    source = parallel::CancellationSource();
  }
}

}  // namespace
}  // namespace ceres::internal
