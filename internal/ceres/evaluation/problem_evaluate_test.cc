// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tests of Problem::Evaluate and Problem::EvaluateResidualBlock.

#include <cmath>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/crs_matrix.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/evaluation_callback.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using internal::FunctionCost;
using internal::SineCost;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pointwise;

// residual[i] = (i + 1) sum of all parameters + i, in `size`-vectors:
// derivatives are i + 1.
CostFunction* Sum(int num_residuals, const std::vector<int>& sizes) {
  const auto evaluate = [num_residuals, sizes](double const* const* x,
                                               double* r, double** jacobians) {
    double sum = 0.0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      for (int c = 0; c < sizes[k]; ++c) sum += x[k][c];
    }
    for (int i = 0; i < num_residuals; ++i) {
      r[i] = (i + 1) * sum + i;
      for (std::size_t k = 0; jacobians && k < sizes.size(); ++k) {
        for (int c = 0; jacobians[k] && c < sizes[k]; ++c) {
          jacobians[k][i * sizes[k] + c] = i + 1;
        }
      }
    }
    return true;
  };
  return new FunctionCost(num_residuals, sizes, evaluate);
}

Eigen::MatrixXd Dense(const CRSMatrix& crs) {
  EXPECT_EQ(static_cast<int>(crs.rows.size()), crs.num_rows + 1);
  EXPECT_EQ(crs.cols.size(), crs.values.size());
  EXPECT_EQ(crs.rows.back(), static_cast<int>(crs.cols.size()));
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(crs.num_rows, crs.num_cols);
  for (int i = 0; i < crs.num_rows; ++i) {
    for (int k = crs.rows[i]; k < crs.rows[i + 1]; ++k) {
      EXPECT_TRUE(k == crs.rows[i] || crs.cols[k] > crs.cols[k - 1]);
      dense(i, crs.cols[k]) = crs.values[k];
    }
  }
  return dense;
}

Eigen::Map<const Eigen::VectorXd> AsVector(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

// f0(x, y) with 2 residuals, f1(z, x) with 1, f2(y) with 1.
class ProblemEvaluateTest : public testing::Test {
 protected:
  ProblemEvaluateTest() {
    f0 = problem.AddResidualBlock(Sum(2, {1, 2}), nullptr, x, y);
    f1 = problem.AddResidualBlock(Sum(1, {3, 1}), nullptr, z, x);
    f2 = problem.AddResidualBlock(Sum(1, {2}), nullptr, y);
  }

  bool Evaluate(const Problem::EvaluateOptions& options = {}) {
    return problem.Evaluate(options, &cost, &residuals, &gradient, &jacobian);
  }

  Problem problem;
  double x[1] = {1.0};
  double y[2] = {2.0, 3.0};
  double z[3] = {4.0, 5.0, 6.0};
  ResidualBlockId f0, f1, f2;
  double cost = -1.0;
  std::vector<double> residuals;
  std::vector<double> gradient;
  CRSMatrix jacobian;
};

TEST_F(ProblemEvaluateTest, EvaluatesTheWholeProblemInItsOrder) {
  ASSERT_TRUE(Evaluate());
  EXPECT_THAT(residuals, ElementsAre(6.0, 13.0, 16.0, 5.0));
  EXPECT_DOUBLE_EQ(cost, 0.5 * (36.0 + 169.0 + 256.0 + 25.0));
  Eigen::MatrixXd expected(4, 6);
  expected << 1, 1, 1, 0, 0, 0,  //
      2, 2, 2, 0, 0, 0,          //
      1, 0, 0, 1, 1, 1,          //
      0, 1, 1, 0, 0, 0;
  EXPECT_EQ(Dense(jacobian), expected);
  EXPECT_THAT(jacobian.rows, ElementsAre(0, 3, 6, 10, 12));
  EXPECT_EQ(AsVector(gradient),
            Eigen::VectorXd(expected.transpose() * AsVector(residuals)));
}

TEST_F(ProblemEvaluateTest, EveryOutputIsOptional) {
  const Problem::EvaluateOptions options;
  EXPECT_TRUE(problem.Evaluate(options, nullptr, nullptr, nullptr, nullptr));
  EXPECT_TRUE(problem.Evaluate(options, &cost, nullptr, nullptr, nullptr));
  EXPECT_DOUBLE_EQ(cost, 243.0);
  EXPECT_TRUE(problem.Evaluate(options, nullptr, &residuals, nullptr, nullptr));
  EXPECT_THAT(residuals, ElementsAre(6.0, 13.0, 16.0, 5.0));
  EXPECT_TRUE(problem.Evaluate(options, nullptr, nullptr, &gradient, nullptr));
  EXPECT_THAT(gradient, ElementsAre(48.0, 37.0, 37.0, 16.0, 16.0, 16.0));
  EXPECT_TRUE(problem.Evaluate(options, nullptr, nullptr, nullptr, &jacobian));
  EXPECT_EQ(jacobian.num_rows, 4);
}

TEST_F(ProblemEvaluateTest, AnEmptyProblemHasEmptyOutputs) {
  Problem empty;
  residuals = gradient = {1.0};
  ASSERT_TRUE(empty.Evaluate({}, &cost, &residuals, &gradient, &jacobian));
  EXPECT_EQ(cost, 0.0);
  EXPECT_THAT(residuals, IsEmpty());
  EXPECT_THAT(gradient, IsEmpty());
  EXPECT_EQ(jacobian.num_rows, 0);
  EXPECT_EQ(jacobian.num_cols, 0);
  EXPECT_THAT(jacobian.rows, ElementsAre(0));
}

TEST_F(ProblemEvaluateTest, ConstantBlocksHaveColumnsWithoutEntries) {
  problem.SetParameterBlockConstant(y);
  ASSERT_TRUE(Evaluate());
  Eigen::MatrixXd expected(4, 6);
  expected << 1, 0, 0, 0, 0, 0,  //
      2, 0, 0, 0, 0, 0,          //
      1, 0, 0, 1, 1, 1,          //
      0, 0, 0, 0, 0, 0;
  EXPECT_EQ(Dense(jacobian), expected);
  EXPECT_EQ(jacobian.values.size(), 6u);
  EXPECT_THAT(gradient, ElementsAre(48.0, 0.0, 0.0, 16.0, 16.0, 16.0));
  EXPECT_THAT(residuals, ElementsAre(6.0, 13.0, 16.0, 5.0));
}

TEST_F(ProblemEvaluateTest, ColumnsAreTangentCoordinates) {
  problem.SetManifold(z, new SubsetManifold(3, {1}));
  problem.SetManifold(y, new SubsetManifold(2, {0, 1}));
  ASSERT_TRUE(Evaluate());
  Eigen::MatrixXd expected(4, 3);
  expected << 1, 0, 0, 2, 0, 0, 1, 1, 1, 0, 0, 0;
  EXPECT_EQ(Dense(jacobian), expected);
  EXPECT_THAT(gradient, ElementsAre(48.0, 16.0, 16.0));
}

TEST_F(ProblemEvaluateTest, ListedBlocksAreColumnsAndRowsInTheirOrder) {
  Problem::EvaluateOptions options;
  options.parameter_blocks = {z, x};
  options.residual_blocks = {f1, f0};
  ASSERT_TRUE(Evaluate(options));
  EXPECT_THAT(residuals, ElementsAre(16.0, 6.0, 13.0));
  EXPECT_DOUBLE_EQ(cost, 0.5 * (256.0 + 36.0 + 169.0));
  Eigen::MatrixXd expected(3, 4);
  expected << 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 2;
  EXPECT_EQ(Dense(jacobian), expected);
  EXPECT_THAT(gradient, ElementsAre(16.0, 16.0, 16.0, 48.0));
}

TEST_F(ProblemEvaluateTest, ReadsTheCurrentValues) {
  ASSERT_TRUE(Evaluate());
  x[0] = 0.0;
  ASSERT_TRUE(Evaluate());
  EXPECT_THAT(residuals, ElementsAre(5.0, 11.0, 15.0, 5.0));
}

TEST_F(ProblemEvaluateTest, LossFunctionsCanBeLeftOut) {
  problem.AddResidualBlock(Sum(1, {1}),
                           new ScaledLoss(nullptr, 9.0, TAKE_OWNERSHIP), x);
  Problem::EvaluateOptions options;
  ASSERT_TRUE(Evaluate(options));
  EXPECT_DOUBLE_EQ(cost, 243.0 + 4.5);
  EXPECT_DOUBLE_EQ(residuals.back(), 3.0);
  EXPECT_DOUBLE_EQ(jacobian.values.back(), 3.0);
  options.apply_loss_function = false;
  ASSERT_TRUE(Evaluate(options));
  EXPECT_DOUBLE_EQ(cost, 243.0 + 0.5);
  EXPECT_DOUBLE_EQ(residuals.back(), 1.0);
}

TEST_F(ProblemEvaluateTest, FailureLeavesOutputsAlone) {
  ASSERT_TRUE(Evaluate());
  const std::vector<double> old_residuals = residuals;
  const std::vector<double> old_gradient = gradient;
  const std::vector<double> old_values = jacobian.values;
  problem.AddResidualBlock(
      new FunctionCost(1, {1}, [](auto, auto, auto) { return false; }), nullptr,
      x);
  cost = -1.0;
  EXPECT_FALSE(Evaluate());
  EXPECT_FALSE(problem.Evaluate({}, &cost, &residuals, nullptr, nullptr));
  EXPECT_EQ(cost, -1.0);
  EXPECT_EQ(residuals, old_residuals);
  EXPECT_EQ(gradient, old_gradient);
  EXPECT_EQ(jacobian.values, old_values);
}

TEST_F(ProblemEvaluateTest, ThreadsChangeNothing) {
  std::vector<double> values(3000, 0.3);
  Problem many;
  for (int i = 0; i + 2 < 3000; ++i) {
    many.AddResidualBlock(new SineCost(4, {1, 1, 1}, i), new HuberLoss(0.5),
                          &values[i], &values[i + 1], &values[i + 2]);
  }
  ASSERT_TRUE(many.Evaluate({}, &cost, &residuals, &gradient, &jacobian));
  Problem::EvaluateOptions options;
  options.num_threads = 4;
  double parallel_cost;
  std::vector<double> parallel_residuals, parallel_gradient;
  CRSMatrix parallel_jacobian;
  ASSERT_TRUE(many.Evaluate(options, &parallel_cost, &parallel_residuals,
                            &parallel_gradient, &parallel_jacobian));
  EXPECT_EQ(parallel_cost, cost);
  EXPECT_EQ(parallel_residuals, residuals);
  EXPECT_EQ(parallel_gradient, gradient);
  EXPECT_EQ(parallel_jacobian.values, jacobian.values);
}

using ProblemEvaluateDeathTest = ProblemEvaluateTest;

TEST_F(ProblemEvaluateDeathTest, ListedBlocksMustBeInTheProblem) {
  Problem::EvaluateOptions options;
  double other;
  options.parameter_blocks = {&other};
  EXPECT_DEATH(Evaluate(options), "has no parameter block");
  options.parameter_blocks = {x, x};
  EXPECT_DEATH(Evaluate(options), "twice");
  options.parameter_blocks.clear();
  problem.RemoveResidualBlock(f2);
  options.residual_blocks = {f2};
  EXPECT_DEATH(Evaluate(options), "has no residual block");
}

TEST(ProblemEvaluate, CallbackIsToldWhatIsEvaluated) {
  double x = 1.0;
  internal::RecordingCallback callback(&x);
  Problem::Options problem_options;
  problem_options.evaluation_callback = &callback;
  Problem problem(problem_options);
  const auto id = problem.AddResidualBlock(Sum(1, {1}), nullptr, &x);
  double cost;
  std::vector<double> gradient;
  EXPECT_TRUE(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  EXPECT_TRUE(problem.Evaluate({}, nullptr, nullptr, &gradient, nullptr));
  EXPECT_TRUE(problem.EvaluateResidualBlock(id, true, &cost, nullptr, nullptr));
  double derivative;
  double* jacobians[] = {&derivative};
  EXPECT_TRUE(problem.EvaluateResidualBlockAssumingParametersUnchanged(
      id, true, &cost, nullptr, jacobians));
  EXPECT_THAT(callback.jacobians, ElementsAre(false, true, false, true));
  EXPECT_THAT(callback.new_points, ElementsAre(true, true, true, false));
}

// Against Problem::Evaluate on the same block.
TEST(EvaluateResidualBlock, AgreesWithTheWholeProblem) {
  Problem problem;
  double q[4] = {0.8, 0.0, 0.6, 0.0};
  double x[2] = {1.0, -2.0};
  problem.AddParameterBlock(q, 4, new QuaternionManifold);
  const auto id = problem.AddResidualBlock(new SineCost(3, {4, 2}, 3),
                                           new CauchyLoss(0.5), q, x);
  for (const bool apply_loss : {true, false}) {
    Problem::EvaluateOptions options;
    options.apply_loss_function = apply_loss;
    double whole_cost;
    std::vector<double> whole_residuals;
    CRSMatrix whole_jacobian;
    ASSERT_TRUE(problem.Evaluate(options, &whole_cost, &whole_residuals,
                                 nullptr, &whole_jacobian));
    double cost;
    std::vector<double> residuals(3);
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> by_q;
    Eigen::Matrix<double, 3, 2, Eigen::RowMajor> by_x;
    double* jacobians[] = {by_q.data(), by_x.data()};
    ASSERT_TRUE(problem.EvaluateResidualBlock(id, apply_loss, &cost,
                                              residuals.data(), jacobians));
    EXPECT_DOUBLE_EQ(cost, whole_cost);
    EXPECT_THAT(residuals, Pointwise(DoubleEq(), whole_residuals));
    const Eigen::MatrixXd dense = Dense(whole_jacobian);
    EXPECT_NEAR((by_q - dense.leftCols(3)).norm(), 0.0, 1e-15);
    EXPECT_NEAR((by_x - dense.rightCols(2)).norm(), 0.0, 1e-15);
  }
}

TEST(EvaluateResidualBlock, OutputsAreOptionalUnlessBlocksAreConstant) {
  Problem problem;
  double x[2] = {1.0, 2.0};
  double y[1] = {3.0};
  const auto id = problem.AddResidualBlock(Sum(1, {2, 1}), nullptr, x, y);
  const auto evaluate = [&](std::vector<double*> jacobians) {
    return problem.EvaluateResidualBlock(
        id, true, nullptr, nullptr,
        jacobians.empty() ? nullptr : jacobians.data());
  };
  double by_x[2], by_y = 0.0;
  EXPECT_TRUE(evaluate({}));
  EXPECT_TRUE(evaluate({nullptr, &by_y}));
  EXPECT_EQ(by_y, 1.0);
  problem.SetParameterBlockConstant(y);
  EXPECT_FALSE(evaluate({by_x, &by_y}));
  EXPECT_TRUE(evaluate({by_x, nullptr}));
}

TEST(EvaluateResidualBlock, FailsIfTheCostFunctionDoes) {
  // The second one writes nothing.
  for (const bool returned : {false, true}) {
    Problem problem;
    double x = 1.0, cost = -1.0;
    const auto id = problem.AddResidualBlock(
        new FunctionCost(1, {1}, [=](auto, auto, auto) { return returned; }),
        nullptr, &x);
    EXPECT_FALSE(
        problem.EvaluateResidualBlock(id, true, &cost, nullptr, nullptr));
    EXPECT_EQ(cost, -1.0);
  }
}

}  // namespace
}  // namespace ceres
