// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Evaluations by prepared calls beside their twin: the same rows with a loss
// function that changes nothing, evaluated one by one.

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/evaluation/row_plan.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

class PreparedCallsTest : public testing::Test {
 protected:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  void Freeze() { evaluator = std::make_unique<ProblemEvaluator>(&problem); }

  static bool IsPrepared(const ProblemEvaluator& evaluator) {
    std::vector<int> merged_column(evaluator.program.num_column_blocks());
    std::iota(merged_column.begin(), merged_column.end(), 0);
    return RowPlan(evaluator.program, evaluator.structure, merged_column,
                   /*apply_loss_function=*/true)
        .is_prepared;
  }

  // A residual block of one residual and the first `num_arguments` of x, which
  // does what a function says.
  void AddBlock(int num_arguments, FunctionCost::Function function) {
    std::vector<double*> arguments;
    for (int k = 0; k < num_arguments; ++k) arguments.push_back(&x[k]);
    problem.AddResidualBlock(
        new FunctionCost(1, std::vector<int>(num_arguments, 1),
                         std::move(function)),
        nullptr, arguments);
  }

  Outputs EvaluateTwin() {
    Problem::Options options;
    options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    Problem twin(options);
    LossFunction* const loss = new TrivialLoss;
    for (const ResidualBlock* block :
         problem.mutable_impl()->residual_blocks()) {
      std::vector<double*> arguments;
      for (int k = 0; k < block->num_parameter_blocks(); ++k) {
        arguments.push_back(block->parameter_blocks()[k]->user_state());
      }
      twin.AddResidualBlock(const_cast<CostFunction*>(block->cost_function()),
                            loss, arguments);
      for (double* argument : arguments) {
        if (problem.IsParameterBlockConstant(argument)) {
          twin.SetParameterBlockConstant(argument);
        }
      }
    }
    ProblemEvaluator twin_evaluator(&twin);
    EXPECT_FALSE(IsPrepared(twin_evaluator));
    twin_evaluator.state = evaluator->state;
    return twin_evaluator.EvaluateAll();
  }

  // Expects the outputs of the twin, or its message.
  void ExpectSameAsTwin() {
    ASSERT_TRUE(IsPrepared(*evaluator));
    const Outputs twin = EvaluateTwin();
    const Outputs out = evaluator->EvaluateAll();
    EXPECT_EQ(out.result.message, twin.result.message);
    if (twin.result) return ExpectSameBits(out, twin);
    EXPECT_EQ(out.cost, twin.cost);
    EXPECT_EQ(out.cost_alone, twin.cost_alone);
  }

  double x[4] = {0.5, -1.0, 2.0, 0.25};
  double point[3] = {1.0, 2.0, 3.0};
  Problem problem;
  std::unique_ptr<ProblemEvaluator> evaluator;
};

TEST_F(PreparedCallsTest, ScalarRowsHaveTheBitsOfTheTwin) {
  for (int i = 0; i < 67; ++i) {
    problem.AddResidualBlock(new SineCost(1, {1, 1}, i), nullptr, x + i % 3,
                             x + 3);
  }
  Freeze();
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, FullRowsHaveTheBitsOfTheTwin) {
  for (int num_columns = 1; num_columns < 5; ++num_columns) {
    SCOPED_TRACE(num_columns);
    problem = Problem();
    std::vector<double*> columns(num_columns);
    std::iota(columns.begin(), columns.end(), x);
    for (int i = 0; i < 67; ++i) {
      problem.AddResidualBlock(
          new SineCost(1, std::vector<int>(num_columns, 1), i), nullptr,
          columns);
    }
    Freeze();
    ExpectSameAsTwin();
  }
}

TEST_F(PreparedCallsTest, ColumnsInAnotherOrderHaveTheBitsOfTheTwin) {
  for (int i = 0; i < 9; ++i) {
    problem.AddResidualBlock(new SineCost(1, {1, 1}, i), nullptr, x + i % 2,
                             x + (i + 1) % 2);
  }
  Freeze();
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, RowsOfSeveralSizesHaveTheBitsOfTheTwin) {
  for (int i = 0; i < 20; ++i) {
    problem.AddResidualBlock(new SineCost(1 + i % 4, {1, 3}, i), nullptr,
                             x + i % 4, point);
    problem.AddResidualBlock(new SineCost(2, {3}, -i), nullptr, point);
  }
  Freeze();
  ExpectSameAsTwin();
}

// Scalars, of which rows have different numbers.
TEST_F(PreparedCallsTest, ConstantBlocksAreReadFromTheUsersMemory) {
  problem.AddResidualBlock(new SineCost(1, {1, 3, 1}, 1), nullptr, x, point,
                           x + 1);
  problem.AddResidualBlock(new SineCost(1, {3, 1}, 2), nullptr, point, x + 1);
  problem.SetParameterBlockConstant(point);
  Freeze();
  ExpectSameAsTwin();
  point[1] = 7.0;
  Freeze();
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, FollowTheStateAndTheRowBlocks) {
  problem.AddResidualBlock(new SineCost(1, {1, 1}, 1), nullptr, x, x + 1);
  Freeze();
  const Outputs first = evaluator->EvaluateAll();
  evaluator->state[0] += 1.0;
  // Row blocks elsewhere, which keep what they have.
  BlockJacobian kept;
  kept.structure = &evaluator->structure;
  kept.values.Resize(evaluator->structure.num_values());
  std::swap(kept.values, evaluator->jacobian.values);
  const Outputs moved = evaluator->EvaluateAll();
  EXPECT_NE(moved.cost, first.cost);
  EXPECT_NE(moved.row_blocks, first.row_blocks);
  EXPECT_EQ(moved.row_blocks, EvaluateTwin().row_blocks);
  EXPECT_TRUE(std::equal(first.row_blocks.begin(), first.row_blocks.end(),
                         kept.values.data()));
}

TEST_F(PreparedCallsTest, LossesManifoldsAndRowChunksDoNotSuit) {
  problem.AddResidualBlock(new SineCost(1, {3}, 1), nullptr, point);
  Freeze();
  EXPECT_TRUE(IsPrepared(*evaluator));
  problem.SetManifold(point, new SubsetManifold(3, {1}));
  Freeze();
  EXPECT_FALSE(IsPrepared(*evaluator));
  problem.SetManifold(point, nullptr);
  problem.AddResidualBlock(new SineCost(1, {3}, 1), new HuberLoss(1.0), point);
  Freeze();
  EXPECT_FALSE(IsPrepared(*evaluator));
  problem = Problem();
  for (int i = 0; i < kMinRowChunkValues; ++i) {
    problem.AddResidualBlock(new SineCost(1, {1}, i), nullptr, x);
  }
  Freeze();
  ASSERT_EQ(evaluator->structure.num_row_chunks(), 2);
  EXPECT_FALSE(IsPrepared(*evaluator));
}

TEST_F(PreparedCallsTest, FailuresAreTheTwins) {
  const auto fails_if = [](bool refuses, double residual, double derivative) {
    return [=](auto, double* r, double** jacobians) {
      r[0] = residual;
      if (jacobians != nullptr) jacobians[0][0] = derivative;
      return !refuses;
    };
  };
  const FunctionCost::Function failures[] = {
      fails_if(true, 1.0, 1.0),
      fails_if(false, kNan, 1.0),
      fails_if(false, 1.0, kNan),
      fails_if(false, 1e200, 1.0),
      [](auto, auto, auto) { return true; },  // writes nothing
  };
  for (const FunctionCost::Function& first : failures) {
    for (const FunctionCost::Function& second : failures) {
      problem = Problem();
      AddBlock(1, fails_if(false, 1.0, 2.0));
      AddBlock(1, first);
      AddBlock(1, fails_if(false, 3.0, 4.0));
      AddBlock(1, second);
      Freeze();
      ExpectSameAsTwin();
    }
  }
}

TEST_F(PreparedCallsTest, SumsThatOverflowAreNoFailure) {
  // Each square is finite.
  for (int i = 0; i < 2; ++i) {
    AddBlock(1, [](auto, double* r, double** jacobians) {
      r[0] = 1.2e154;
      if (jacobians != nullptr) jacobians[0][0] = 1e200;
      return true;
    });
  }
  Freeze();
  EXPECT_TRUE(std::isinf(evaluator->EvaluateAll().squared_norms[0]));
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, FailureIsFoundWithoutSums) {
  AddBlock(2, [](auto, double* r, double** jacobians) {
    r[0] = 1.0;
    if (jacobians != nullptr) jacobians[0][0] = 1.0;
    return true;
  });
  Freeze();
  EXPECT_THAT(evaluator->MessageOfJacobian(/*with_sums=*/false),
              HasSubstr("parameter block 1 was not written"));
}

}  // namespace
}  // namespace ceres::internal
