// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/column_sums.h"

#include <utility>

#include "ceres/linear/random_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

RandomJacobianOptions SmallProblem(int seed) {
  RandomJacobianOptions options;
  options.seed = seed;
  return options;
}

// Many row chunks, and one column block that nobody touches.
RandomJacobianOptions LargeProblem() {
  RandomJacobianOptions options;
  options.num_column_blocks = 301;
  options.max_column_size = 9;
  options.num_row_blocks = 12345;
  options.max_row_size = 20;
  options.seed = 7;
  return options;
}

class Products : public testing::TestWithParam<RandomJacobianOptions> {};

TEST_P(Products, EqualDenseOnes) {
  const auto p = MakeRandomJacobian(GetParam());
  const BlockJacobianStructure& s = p->structure;
  const Eigen::MatrixXd j = DenseJacobian(p->jacobian);
  TestThreads threads(2);

  const Eigen::VectorXd x = Eigen::VectorXd::Random(s.num_columns());
  Eigen::VectorXd y(s.num_rows());
  Multiply(threads.execution(), p->jacobian, x.data(), y.data());
  EXPECT_LT((y - j * x).norm(), 1e-13 * (1.0 + y.norm()));

  const Eigen::VectorXd u = Eigen::VectorXd::Random(s.num_rows());
  Eigen::VectorXd v = Eigen::VectorXd::Constant(s.num_columns(), NAN);
  TransposeMultiply(threads.execution(), p->jacobian, ColumnSumPlan(s),
                    u.data(), v.data());
  EXPECT_LT((v - j.transpose() * u).norm(), 1e-13 * (1.0 + v.norm()));

  const double expected = DenseModelCostChange(p->jacobian, x);
  EXPECT_NEAR(ModelCostChange(threads.execution(), p->jacobian, x.data()),
              expected, 1e-12 * std::abs(expected));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Products,
                         testing::Values(SmallProblem(1), SmallProblem(2),
                                         SmallProblem(3), LargeProblem()));

TEST(ColumnSums, SameBitsForEveryNumberOfThreads) {
  const auto p = MakeRandomJacobian(LargeProblem());
  const BlockJacobianStructure& s = p->structure;
  ASSERT_GT(s.num_row_chunks(), 8);
  const ColumnSumPlan plan(s);
  const Eigen::VectorXd x = Eigen::VectorXd::Random(s.num_columns());
  const Eigen::VectorXd u = Eigen::VectorXd::Random(s.num_rows());
  for (int repetition = 0; repetition < 3; ++repetition) {
    EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
      Eigen::VectorXd v(s.num_columns());
      TransposeMultiply(execution, p->jacobian, plan, u.data(), v.data());
      return std::pair(v, ModelCostChange(execution, p->jacobian, x.data()));
    }));
  }
}

TEST(ColumnSums, UntouchedColumnsBecomeZero) {
  BlockJacobianStructure s;
  s.column_offset = {0, 2, 5};
  AppendRowBlock(1, {0}, &s);
  CutIntoRowChunks(&s);
  BlockJacobian jacobian{&s, AlignedBuffer(s.num_values())};
  const double row_block[] = {1.0, 2.0, 3.0};
  std::copy_n(row_block, 3, jacobian.values.data());
  const double u = 10.0;
  double v[5] = {-1, -1, -1, -1, -1};
  TransposeMultiply(Execution(), jacobian, ColumnSumPlan(s), &u, v);
  const double expected[] = {20, 30, 0, 0, 0};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(v[i], expected[i]);
}

TEST(ColumnSums, NoRowsAtAllMakeZeros) {
  BlockJacobianStructure s;
  s.column_offset = {0, 2};
  CutIntoRowChunks(&s);
  const BlockJacobian jacobian{&s, AlignedBuffer()};
  double v[2] = {-1, -1};
  TransposeMultiply(Execution(), jacobian, ColumnSumPlan(s), nullptr, v);
  EXPECT_EQ(v[0], 0.0);
  EXPECT_EQ(v[1], 0.0);
}

TEST(ColumnSumPlan, OneRowChunkIsSummedUpInPlace) {
  BlockJacobianStructure s;
  s.column_offset = {0, 2, 5};
  AppendRowBlock(1, {1}, &s);
  AppendRowBlock(1, {1, 0}, &s);
  CutIntoRowChunks(&s);
  const ColumnSumPlan plan(s);
  ASSERT_TRUE(plan.has_one_part());
  EXPECT_EQ(plan.buffer_size(), 5);
  EXPECT_EQ(plan.destination(0), 2);
  EXPECT_EQ(plan.destination(1), 2);
  EXPECT_EQ(plan.destination(2), 0);
}

TEST(ColumnSumPlan, SeveralRowChunksHaveCopies) {
  const auto p = MakeRandomJacobian(LargeProblem());
  EXPECT_FALSE(ColumnSumPlan(p->structure).has_one_part());
}

TEST(ModelCostChange, DoesNotCancelNearAMinimum) {
  // One residual r = 1e8, J = 1, step 1e-9: the difference of the two squared
  // norms has no digit, -m (r + m / 2) has all.
  BlockJacobianStructure s;
  s.column_offset = {0, 1};
  AppendRowBlock(1, {0}, &s);
  CutIntoRowChunks(&s);
  BlockJacobian jacobian{&s, AlignedBuffer(2)};
  jacobian.values.data()[0] = 1e8;
  jacobian.values.data()[1] = 1.0;
  const double step = -1e-9;
  EXPECT_DOUBLE_EQ(ModelCostChange(Execution(), jacobian, &step),
                   1e-9 * (1e8 - 0.5e-9));
}

TEST(ColumnSumPlanDeathTest, NeedsRowChunks) {
  BlockJacobianStructure s;
  s.column_offset = {0, 1};
  AppendRowBlock(1, {0}, &s);
  EXPECT_DEATH(ColumnSumPlan{s}, "CutIntoRowChunks");
}

}  // namespace
}  // namespace ceres::internal
