// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linearization.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using internal::FunctionCost;
using internal::SineCost;
using testing::ElementsAre;

Eigen::MatrixXd Dense(const CRSMatrix& crs) {
  EXPECT_EQ(static_cast<int>(crs.rows.size()), crs.num_rows + 1);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(crs.num_rows, crs.num_cols);
  for (int i = 0; i < crs.num_rows; ++i) {
    for (int k = crs.rows[i]; k < crs.rows[i + 1]; ++k) {
      EXPECT_TRUE(k == crs.rows[i] || crs.cols[k] > crs.cols[k - 1]);
      dense(i, crs.cols[k]) = crs.values[k];
    }
  }
  return dense;
}

// A unit quaternion q, a constant block c, and blocks x and y. f0(q, x) has 3
// residuals and a loss, f1(c, y, q) has 2, f2(x) has none, f3(y) has 1.
class LinearizationTest : public testing::Test {
 protected:
  LinearizationTest() {
    f0 = problem.AddResidualBlock(new SineCost(3, {4, 2}, 1),
                                  new CauchyLoss(0.5), q, x);
    f1 = problem.AddResidualBlock(new SineCost(2, {3, 1, 4}, 2), nullptr, c, y,
                                  q);
    f2 = problem.AddResidualBlock(
        new FunctionCost(
            0, {2},
            [](double const* const*, double*, double**) { return true; }),
        nullptr, x);
    f3 = problem.AddResidualBlock(new SineCost(1, {1}, 3), nullptr, y);
    problem.SetManifold(q, new QuaternionManifold);
    problem.SetParameterBlockConstant(c);
  }

  double q[4] = {0.5, 0.5, -0.5, 0.5};
  double c[3] = {0.1, 0.2, 0.3};
  double x[2] = {0.4, -0.3};
  double y[1] = {0.7};
  Problem problem;
  ResidualBlockId f0, f1, f2, f3;
  Linearization linearization;
};

TEST_F(LinearizationTest, HasTheBitsOfEvaluate) {
  double cost;
  std::vector<double> residuals, gradient;
  CRSMatrix jacobian;
  ASSERT_TRUE(problem.Evaluate(Problem::EvaluateOptions(), &cost, &residuals,
                               &gradient, &jacobian));
  ASSERT_TRUE(problem.Linearize({}, {}, &linearization));
  EXPECT_EQ(linearization.cost(), cost);
  EXPECT_EQ(linearization.num_rows(), 6);
  EXPECT_EQ(linearization.num_columns(), 9);
  const CRSMatrix j = linearization.Jacobian();
  EXPECT_EQ(j.rows, jacobian.rows);
  EXPECT_EQ(j.cols, jacobian.cols);
  EXPECT_EQ(j.values, jacobian.values);
  const Vector r = linearization.Residuals();
  EXPECT_EQ(std::vector<double>(r.data(), r.data() + r.size()), residuals);
  EXPECT_LT(
      (linearization.Gradient() - ConstVectorRef(gradient.data(), 9)).norm(),
      1e-15);
}

TEST_F(LinearizationTest, CellsAreTheBlocksOfTheJacobian) {
  ASSERT_TRUE(problem.Linearize({}, {}, &linearization));
  const Eigen::MatrixXd j = Dense(linearization.Jacobian());
  const Vector r = linearization.Residuals();
  ASSERT_EQ(linearization.num_residual_blocks(), 4);
  std::vector<int> num_cells, first_rows;
  Eigen::MatrixXd covered = Eigen::MatrixXd::Zero(6, 9);
  for (int i = 0; i < 4; ++i) {
    num_cells.push_back(linearization.num_cells(i));
    first_rows.push_back(linearization.first_row(i));
    const ConstVectorRef own = linearization.residuals(i);
    EXPECT_EQ(own, r.segment(first_rows[i], own.size()));
    for (int k = 0; k < num_cells[i]; ++k) {
      const Linearization::Cell cell = linearization.cell(i, k);
      const Linearization::ColumnBlock& columns =
          linearization.column_blocks()[cell.column_block];
      covered.block(first_rows[i], columns.first_column, own.size(),
                    columns.num_columns) = cell.values;
    }
  }
  EXPECT_EQ(covered, j);
  EXPECT_THAT(num_cells, ElementsAre(2, 2, 0, 1));
  EXPECT_THAT(first_rows, ElementsAre(0, 3, 5, 5));
  EXPECT_EQ(linearization.residual_block(3), f3);
}

TEST_F(LinearizationTest, ConstantBlocksHaveColumnsWithoutEntries) {
  ASSERT_TRUE(problem.Linearize({}, {}, &linearization));
  const Linearization::ColumnBlock& block = linearization.column_blocks()[2];
  EXPECT_EQ(block.parameter_block, c);
  EXPECT_TRUE(block.is_constant);
  EXPECT_EQ(block.first_column, 5);
  EXPECT_EQ(block.num_columns, 3);
  EXPECT_TRUE(Dense(linearization.Jacobian()).middleCols(5, 3).isZero(0.0));
}

TEST_F(LinearizationTest, FollowsTheListedOrder) {
  LinearizationOptions options;
  options.parameter_blocks = {y, q};
  ASSERT_TRUE(problem.Linearize(options, {f3, f0}, &linearization));
  EXPECT_EQ(linearization.num_columns(), 4);
  EXPECT_EQ(linearization.num_rows(), 4);
  EXPECT_EQ(linearization.residual_block(1), f0);
  double r[3], jq[9];
  double* jacobians[] = {jq, nullptr};
  ASSERT_TRUE(problem.EvaluateResidualBlock(f0, true, nullptr, r, jacobians));
  ASSERT_EQ(linearization.num_cells(1), 1);  // x is held constant
  EXPECT_EQ(linearization.cell(1, 0).values, ConstMatrixRef(jq, 3, 3));
  EXPECT_EQ(linearization.cell(1, 0).column_block, 1);
  EXPECT_EQ(linearization.residuals(1), ConstVectorRef(r, 3));
}

TEST_F(LinearizationTest, LeavesOutLossAndManifold) {
  LinearizationOptions options;
  options.apply_loss_function = false;
  options.apply_manifolds = false;
  ASSERT_TRUE(problem.Linearize(options, {f0}, &linearization));
  double r[3], jq[12], jx[6];
  double* jacobians[] = {jq, jx};
  const double* parameters[] = {q, x};
  problem.GetCostFunctionForResidualBlock(f0)->Evaluate(parameters, r,
                                                        jacobians);
  EXPECT_EQ(linearization.residuals(0), ConstVectorRef(r, 3));
  EXPECT_EQ(linearization.cell(0, 0).values, ConstMatrixRef(jq, 3, 4));
  EXPECT_EQ(linearization.cell(0, 1).values, ConstMatrixRef(jx, 3, 2));
  EXPECT_EQ(linearization.num_columns(), 10);
}

TEST_F(LinearizationTest, NormalEquationsAreThoseOfTheDenseJacobian) {
  ASSERT_TRUE(problem.Linearize({}, {}, &linearization));
  const Eigen::MatrixXd j = Dense(linearization.Jacobian());
  const Linearization::Normal normal = linearization.NormalEquations();
  EXPECT_LT((Dense(normal.matrix) - j.transpose() * j).norm(), 1e-15);
  EXPECT_LT(
      (normal.gradient - j.transpose() * linearization.Residuals()).norm(),
      1e-15);
}

TEST_F(LinearizationTest, ProductsAreThoseOfTheDenseJacobian) {
  ASSERT_TRUE(problem.Linearize({}, {}, &linearization));
  const Eigen::MatrixXd j = Dense(linearization.Jacobian());
  const Vector v = Vector::LinSpaced(9, -1.0, 2.0);
  const Vector w = Vector::LinSpaced(6, 0.5, -2.0);
  EXPECT_LT((linearization.Multiply(v) - j * v).norm(), 1e-14);
  EXPECT_LT((linearization.TransposeMultiply(w) - j.transpose() * w).norm(),
            1e-14);
}

TEST_F(LinearizationTest, AProblemWithoutVaryingBlocksHasResidualsOnly) {
  for (double* block : {q, x, y}) problem.SetParameterBlockConstant(block);
  ASSERT_TRUE(problem.Linearize({}, {}, &linearization));
  EXPECT_EQ(linearization.num_rows(), 6);
  EXPECT_TRUE(linearization.Jacobian().values.empty());
  EXPECT_TRUE(linearization.NormalEquations().matrix.values.empty());
  EXPECT_EQ(linearization.NormalEquations().matrix.num_rows, 9);
  EXPECT_TRUE(linearization.Gradient().isZero(0.0));
}

TEST_F(LinearizationTest, AFailureLeavesTheOutputAsItWas) {
  ASSERT_TRUE(problem.Linearize({}, {f3}, &linearization));
  problem.AddResidualBlock(new FunctionCost(1, {1},
                                            [](double const* const*, double*,
                                               double**) { return false; }),
                           nullptr, y);
  EXPECT_FALSE(problem.Linearize({}, {}, &linearization));
  EXPECT_EQ(linearization.num_residual_blocks(), 1);
}

TEST_F(LinearizationTest, OutlivesAChangeOfTheProblem) {
  ASSERT_TRUE(problem.Linearize({}, {}, &linearization));
  const CRSMatrix before = linearization.Jacobian();
  problem.RemoveParameterBlock(q);
  x[0] = 17.0;
  EXPECT_EQ(linearization.Jacobian().values, before.values);
  EXPECT_EQ(linearization.Multiply(Vector::Zero(9)).norm(), 0.0);
}

TEST_F(LinearizationTest, ALinearizationPointFixesTheTangentJacobian) {
  ASSERT_TRUE(problem.Linearize({}, {f1}, &linearization));
  const Eigen::MatrixXd before = linearization.cell(0, 1).values;
  problem.SetLinearizationPoint(q, q);
  const double delta[3] = {0.3, -0.2, 0.5};
  const std::vector<double> first(q, q + 4);
  QuaternionManifold().Plus(first.data(), delta, q);
  y[0] += 0.25;
  // The same with q at its point.
  std::vector<double> moved(q, q + 4);
  std::copy(first.begin(), first.end(), q);
  double r[2], jy[2], jq[6];
  double* jacobians[] = {nullptr, jy, jq};
  ASSERT_TRUE(problem.EvaluateResidualBlock(f1, true, nullptr, r, jacobians));
  std::copy(moved.begin(), moved.end(), q);
  double r_now[2];
  ASSERT_TRUE(problem.EvaluateResidualBlock(f1, true, nullptr, r_now, nullptr));

  ASSERT_TRUE(problem.Linearize({}, {f1}, &linearization));
  EXPECT_EQ(linearization.residuals(0), ConstVectorRef(r_now, 2));
  EXPECT_NE(linearization.residuals(0), ConstVectorRef(r, 2));
  EXPECT_LT((linearization.cell(0, 0).values - ConstMatrixRef(jy, 2, 1)).norm(),
            1e-15);
  EXPECT_LT((linearization.cell(0, 1).values - ConstMatrixRef(jq, 2, 3)).norm(),
            1e-15);
  EXPECT_GT((linearization.cell(0, 1).values - before).norm(), 1e-3);

  problem.SetLinearizationPoint(q, nullptr);
  EXPECT_EQ(problem.GetLinearizationPoint(q), nullptr);
  ASSERT_TRUE(problem.EvaluateResidualBlock(f1, true, nullptr, r, jacobians));
  ASSERT_TRUE(problem.Linearize({}, {f1}, &linearization));
  EXPECT_EQ(linearization.cell(0, 1).values, ConstMatrixRef(jq, 2, 3));
}

TEST_F(LinearizationTest, AConstantBlockIgnoresItsPoint) {
  const double elsewhere[3] = {5.0, 6.0, 7.0};
  ASSERT_TRUE(problem.Linearize({}, {f1}, &linearization));
  const CRSMatrix before = linearization.Jacobian();
  problem.SetLinearizationPoint(c, elsewhere);
  ASSERT_TRUE(problem.Linearize({}, {f1}, &linearization));
  EXPECT_EQ(linearization.Jacobian().values, before.values);
}

using LinearizationDeathTest = LinearizationTest;

TEST_F(LinearizationDeathTest, ChecksBlocksAndIndices) {
  LinearizationOptions options;
  options.parameter_blocks = {x, x};
  EXPECT_DEATH(problem.Linearize(options, {}, &linearization),
               "LinearizationOptions::parameter_blocks lists");
  ASSERT_TRUE(problem.Linearize({}, {f3}, &linearization));
  EXPECT_DEATH(linearization.cell(0, 1), "has 1 cell,");
  EXPECT_DEATH(linearization.residuals(1), "no residual block 1");
  EXPECT_DEATH(linearization.Multiply(Vector::Zero(1)), "for each column");
}

// All results, for any number of threads.
std::vector<double> Results(int num_threads) {
  constexpr int kNumBlocks = 400;
  std::vector<std::array<double, 3>> blocks(kNumBlocks);
  Problem problem;
  for (int i = 0; i < kNumBlocks; ++i) blocks[i] = {0.1 * i, 1.0, -0.2};
  for (int i = 0; i < 6000; ++i) {
    problem.AddResidualBlock(
        new SineCost(3, {3, 3}, i), i % 3 == 0 ? new HuberLoss(0.3) : nullptr,
        blocks[i % kNumBlocks].data(), blocks[(7 * i + 1) % kNumBlocks].data());
  }
  LinearizationOptions options;
  options.num_threads = num_threads;
  Linearization linearization;
  EXPECT_TRUE(problem.Linearize(options, {}, &linearization));
  std::vector<double> results = linearization.Jacobian().values;
  const auto append = [&results](const double* values, std::size_t size) {
    results.insert(results.end(), values, values + size);
  };
  const Linearization::Normal normal = linearization.NormalEquations();
  append(normal.matrix.values.data(), normal.matrix.values.size());
  for (const Vector& v :
       {linearization.Residuals(), normal.gradient,
        linearization.Multiply(Vector::Ones(linearization.num_columns())),
        linearization.TransposeMultiply(
            Vector::Ones(linearization.num_rows()))}) {
    append(v.data(), v.size());
  }
  results.push_back(linearization.cost());
  return results;
}

TEST(LinearizationThreadsTest, BitsDoNotDependOnTheNumberOfThreads) {
  const std::vector<double> serial = Results(1);
  for (const int num_threads : {2, 3, 4, 8}) {
    const std::vector<double> parallel = Results(num_threads);
    ASSERT_EQ(parallel.size(), serial.size());
    EXPECT_EQ(std::memcmp(parallel.data(), serial.data(),
                          serial.size() * sizeof(double)),
              0)
        << num_threads << " threads";
  }
}

}  // namespace
}  // namespace ceres
