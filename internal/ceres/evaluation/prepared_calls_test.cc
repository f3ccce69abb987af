// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Evaluations by prepared calls beside their plain twin: RowEvaluator, row by row.

#include "ceres/evaluation/row_evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

// A problem, frozen with all of its parameter blocks that vary, and its plan.
class PreparedCallsTest : public testing::Test {
 protected:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  void Freeze() {
    const ProblemImpl& impl = *problem.mutable_impl();
    std::vector<ParameterBlock*> varying;
    for (ParameterBlock* block : impl.parameter_blocks()) {
      if (!block->IsConstant()) varying.push_back(block);
    }
    program.emplace(varying, 0, impl.residual_blocks());
    evaluator.emplace(*program, Evaluator::Options());
    std::vector<int> merged_column(program->num_column_blocks());
    std::iota(merged_column.begin(), merged_column.end(), 0);
    plan.emplace(*program, evaluator->structure(), merged_column,
                 /*apply_loss_function=*/true);
    plus_jacobians.emplace(*program);
    state.resize(program->num_state());
    program->ReadUserMemory(state.data());
    residuals.resize(program->num_residuals());
    jacobian.structure = &evaluator->structure();
    jacobian.values.Resize(evaluator->structure().num_values());
    gradient.assign(program->num_delta(), 0.0);
    squared_norms.assign(program->num_delta(), 0.0);
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

  std::vector<double> RowBlocks() const {
    return {jacobian.values.data(),
            jacobian.values.data() + jacobian.values.size()};
  }

  // Expects the outputs of the twin, or its message.
  void ExpectSameAsTwin() {
    const BlockJacobianStructure& s = evaluator->structure();
    RowEvaluator twin(*plan, *plus_jacobians);
    double cost = -1.0, twin_cost = 0.0;
    std::vector<double> twin_residuals(residuals.size());
    std::vector<double> twin_row_blocks(jacobian.values.size());
    std::vector<double> twin_gradient(gradient.size(), 0.0);
    std::vector<double> twin_norms(gradient.size(), 0.0);
    bool is_valid = true;
    for (int row = 0; is_valid && row < s.num_row_blocks(); ++row) {
      double row_cost = 0.0;
      is_valid = twin.EvaluateCost(state.data(), row,
                                   twin_residuals.data() + s.row_offset[row],
                                   &row_cost);
      twin_cost += row_cost;
    }
    Evaluator::Result result =
        evaluator->EvaluateCost(state.data(), true, &cost, residuals.data());
    ASSERT_EQ(result.ok, is_valid);
    if (!is_valid) {
      EXPECT_EQ(result.message, twin.message());
      EXPECT_EQ(cost, -1.0);
    } else {
      EXPECT_EQ(cost, twin_cost);
      EXPECT_EQ(residuals, twin_residuals);
    }

    cost = -1.0, twin_cost = 0.0, is_valid = true;
    for (int row = 0; is_valid && row < s.num_row_blocks(); ++row) {
      double row_cost = 0.0;
      double* const row_block =
          twin_row_blocks.data() + s.row_block_offset[row];
      is_valid = twin.EvaluateRowBlock(state.data(), row,
                                       RowEvaluator::CheckCells::kNow,
                                       row_block, &row_cost);
      twin_cost += row_cost;
      for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
        const int column = s.cell_column[k];
        AddGradientAndNorms(s.row_size(row), s.column_size(column), row_block,
                            row_block + s.cell_position[k],
                            twin_gradient.data() + s.column_offset[column],
                            twin_norms.data() + s.column_offset[column]);
      }
    }
    result = evaluator->EvaluateJacobian(state.data(), true, &cost, &jacobian,
                                         gradient.data(), squared_norms.data());
    ASSERT_EQ(result.ok, is_valid);
    if (!is_valid) {
      EXPECT_EQ(result.message, twin.message());
      EXPECT_EQ(cost, -1.0);
      return;
    }
    EXPECT_EQ(cost, twin_cost);
    EXPECT_EQ(RowBlocks(), twin_row_blocks);
    EXPECT_EQ(gradient, twin_gradient);
    EXPECT_EQ(squared_norms, twin_norms);
  }

  double x[4] = {0.5, -1.0, 2.0, 0.25};
  double point[3] = {1.0, 2.0, 3.0};
  Problem problem;
  std::optional<Program> program;
  std::optional<Evaluator> evaluator;
  std::optional<RowPlan> plan;
  std::optional<PlusJacobians> plus_jacobians;  // of no manifold
  std::vector<double> state;
  std::vector<double> residuals;
  BlockJacobian jacobian;
  std::vector<double> gradient;
  std::vector<double> squared_norms;
};

TEST_F(PreparedCallsTest, ScalarRowsHaveTheBitsOfTheTwin) {
  for (int i = 0; i < 67; ++i) {
    problem.AddResidualBlock(new SineCost(1, {1, 1}, i), nullptr, x + i % 3,
                             x + 3);
  }
  Freeze();
  ASSERT_TRUE(plan->is_prepared);
  ExpectSameAsTwin();
}

class FullRowsTest : public PreparedCallsTest,
                     public testing::WithParamInterface<int> {};

TEST_P(FullRowsTest, HaveTheBitsOfTheTwin) {
  const int num_columns = GetParam();
  std::vector<double*> columns;
  for (int k = 0; k < num_columns; ++k) columns.push_back(x + k);
  for (int i = 0; i < 67; ++i) {
    problem.AddResidualBlock(
        new SineCost(1, std::vector<int>(num_columns, 1), i), nullptr, columns);
  }
  Freeze();
  ASSERT_TRUE(plan->is_prepared);
  ExpectSameAsTwin();
}

INSTANTIATE_TEST_SUITE_P(Columns, FullRowsTest, testing::Range(1, 5));

TEST_F(PreparedCallsTest, ColumnsInAnotherOrderHaveTheBitsOfTheTwin) {
  for (int i = 0; i < 9; ++i) {
    problem.AddResidualBlock(new SineCost(1, {1, 1}, i), nullptr, x + i % 2,
                             x + (i + 1) % 2);
  }
  Freeze();
  ASSERT_TRUE(plan->is_prepared);
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, RowsOfSeveralSizesHaveTheBitsOfTheTwin) {
  for (int i = 0; i < 20; ++i) {
    problem.AddResidualBlock(new SineCost(1 + i % 4, {1, 3}, i), nullptr,
                             x + i % 4, point);
    problem.AddResidualBlock(new SineCost(2, {3}, -i), nullptr, point);
  }
  Freeze();
  ASSERT_TRUE(plan->is_prepared);
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, ConstantBlocksAreReadFromTheUsersMemory) {
  problem.AddResidualBlock(new SineCost(1, {1, 3}, 1), nullptr, x, point);
  problem.AddResidualBlock(new SineCost(1, {3}, 2), nullptr, point);
  problem.SetParameterBlockConstant(point);
  Freeze();
  ASSERT_TRUE(plan->is_prepared);
  ExpectSameAsTwin();
  point[1] = 7.0;
  Freeze();
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, FollowsTheStateAndTheRowBlocks) {
  problem.AddResidualBlock(new SineCost(1, {1, 1}, 1), nullptr, x, x + 1);
  Freeze();
  const auto cost_at = [this](const std::vector<double>& x,
                              BlockJacobian* jacobian) {
    double cost = 0.0;
    EXPECT_TRUE(evaluator->EvaluateJacobian(x.data(), true, &cost, jacobian,
                                            nullptr, nullptr));
    return cost;
  };
  const double cost = cost_at(state, &jacobian);
  const std::vector<double> row_blocks = RowBlocks();
  BlockJacobian other;
  other.structure = jacobian.structure;
  other.values.Resize(jacobian.values.size());
  const std::vector<double> moved = {state[0] + 1.0, state[1]};
  EXPECT_NE(cost_at(moved, &other), cost);
  EXPECT_EQ(RowBlocks(), row_blocks);
  EXPECT_NE(other.values.data()[0], row_blocks[0]);
  EXPECT_EQ(cost_at(state, &other), cost);
  EXPECT_TRUE(
      std::equal(row_blocks.begin(), row_blocks.end(), other.values.data()));
}

TEST_F(PreparedCallsTest, LossesAndManifoldsDoNotSuit) {
  problem.AddResidualBlock(new SineCost(1, {3}, 1), nullptr, point);
  Freeze();
  EXPECT_TRUE(plan->is_prepared);
  problem.SetManifold(point, new SubsetManifold(3, {1}));
  Freeze();
  EXPECT_FALSE(plan->is_prepared);
  problem.SetManifold(point, nullptr);
  problem.AddResidualBlock(new SineCost(1, {3}, 1), new HuberLoss(1.0), point);
  Freeze();
  EXPECT_FALSE(plan->is_prepared);
}

TEST_F(PreparedCallsTest, SeveralRowChunksDoNotSuit) {
  for (int i = 0; i < kMinRowChunkValues; ++i) {
    problem.AddResidualBlock(new SineCost(1, {1}, i), nullptr, x);
  }
  Freeze();
  ASSERT_EQ(evaluator->structure().num_row_chunks(), 2);
  EXPECT_FALSE(plan->is_prepared);
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
      SCOPED_TRACE(problem.NumResidualBlocks());
      std::vector<ResidualBlockId> before;
      problem.GetResidualBlocks(&before);
      for (const ResidualBlockId id : before) problem.RemoveResidualBlock(id);
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
  double cost = 0.0;
  EXPECT_TRUE(evaluator->EvaluateJacobian(state.data(), true, &cost, &jacobian,
                                          gradient.data(),
                                          squared_norms.data()));
  EXPECT_TRUE(std::isinf(squared_norms[0]));
  ExpectSameAsTwin();
}

TEST_F(PreparedCallsTest, FailureIsFoundWithoutSums) {
  AddBlock(2, [](auto, double* r, double** jacobians) {
    r[0] = 1.0;
    if (jacobians != nullptr) jacobians[0][0] = 1.0;
    return true;
  });
  Freeze();
  double cost = 0.0;
  const Evaluator::Result result = evaluator->EvaluateJacobian(
      state.data(), true, &cost, &jacobian, nullptr, nullptr);
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message, HasSubstr("parameter block 1 was not written"));
}

}  // namespace
}  // namespace ceres::internal
