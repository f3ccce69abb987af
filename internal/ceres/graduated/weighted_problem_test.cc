// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/weighted_problem.h"

#include <memory>
#include <vector>

#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Springs at 1, 2, 3, ..., of one parameter.
class WeightedProblemTest : public testing::Test {
 protected:
  explicit WeightedProblemTest(int num_springs = 12) {
    for (int i = 0; i < num_springs; ++i) {
      blocks_.push_back(problem_.AddResidualBlock(
          NewSpring(i + 1.0), i == 0 ? new CauchyLoss(0.5) : nullptr, &x_));
    }
  }
  // All springs but the first two have weights.
  std::vector<ResidualBlock*> Uncertain() const {
    return {blocks_.begin() + 2, blocks_.end()};
  }
  std::unique_ptr<WeightedProblem> Copy(const std::vector<double>& weights) {
    return std::make_unique<WeightedProblem>(*problem_.mutable_impl(), nullptr,
                                             Uncertain(), weights);
  }
  static double CostOf(Problem* problem) {
    double cost = 0.0;
    EXPECT_TRUE(problem->Evaluate(Problem::EvaluateOptions(), &cost, nullptr,
                                  nullptr, nullptr));
    return cost;
  }
  // The cost in which spring i has weight weights[i - 2].
  double ExpectedCost(const std::vector<double>& weights) const {
    double rho[3];
    CauchyLoss(0.5).Evaluate((x_ - 1.0) * (x_ - 1.0), rho);
    double cost = 0.5 * (rho[0] + (x_ - 2.0) * (x_ - 2.0));
    for (std::size_t i = 0; i < weights.size(); ++i) {
      cost += 0.5 * weights[i] * (x_ - 3.0 - i) * (x_ - 3.0 - i);
    }
    return cost;
  }

  double x_ = 0.25;
  Problem problem_;
  std::vector<ResidualBlockId> blocks_;
};

TEST_F(WeightedProblemTest, ReplacesLossesOfUncertainBlocksByWeights) {
  std::vector<double> weights(10, 0.5);
  weights[3] = 0.125;
  const auto copy = Copy(weights);
  EXPECT_DOUBLE_EQ(CostOf(copy->problem()), ExpectedCost(weights));
  weights[0] = 0.75;
  copy->SetWeights(weights);
  EXPECT_DOUBLE_EQ(CostOf(copy->problem()), ExpectedCost(weights));
}

TEST_F(WeightedProblemTest, LeavesOutBlocksWithoutWeight) {
  std::vector<double> weights(10, 1.0);
  weights[4] = weights[5] = 0.0;
  const auto copy = Copy(weights);
  EXPECT_EQ(copy->problem()->NumResidualBlocks(), 10);
  EXPECT_DOUBLE_EQ(CostOf(copy->problem()), ExpectedCost(weights));
}

TEST_F(WeightedProblemTest, FitsWhileFewBlocksLoseTheirWeights) {
  std::vector<double> weights(10, 1.0);
  weights[0] = 0.0;
  const auto copy = Copy(weights);  // nine uncertain blocks
  EXPECT_TRUE(copy->Fits(weights));
  weights[1] = 0.0;
  EXPECT_TRUE(copy->Fits(weights));
  weights[2] = weights[3] = 0.0;
  EXPECT_FALSE(copy->Fits(weights));
  weights.assign(10, 1.0);  // block 0 is not in the copy
  EXPECT_FALSE(copy->Fits(weights));
}

TEST_F(WeightedProblemTest, ChangesOfWeightsKeepPreprocessing) {
  std::vector<double> weights(10, 1.0);
  const auto copy = Copy(weights);
  Solver::Options options = TightDenseQrOptions();
  options.keep_preprocessing = true;
  EXPECT_FALSE(SolveWith(options, copy->problem()).preprocessing_was_kept);
  weights.assign(10, 0.0);
  weights[2] = 0.25;
  copy->SetWeights(weights);
  EXPECT_TRUE(SolveWith(options, copy->problem()).preprocessing_was_kept);
}

TEST_F(WeightedProblemTest, FindsTheCopiesOfBlocks) {
  std::vector<double> weights(10, 1.0);
  weights[4] = 0.0;
  const auto copy = Copy(weights);
  const auto found = copy->Counterparts({blocks_[3], blocks_[6]});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(copy->problem()->GetCostFunctionForResidualBlock(*found.begin()),
            problem_.GetCostFunctionForResidualBlock(blocks_[3]));
}

TEST(WeightedProblem, HasTheParameterBlocksOfTheWhole) {
  double plain[2] = {1.0, 2.0};
  double constant = 3.0;
  double bounded = 4.0;
  double quaternion[4] = {1.0, 0.0, 0.0, 0.0};
  Problem whole;
  whole.AddResidualBlock(NewSpring<2>(0.0), nullptr, plain);
  whole.AddResidualBlock(NewSpring(0.0), nullptr, &constant);
  whole.AddResidualBlock(NewSpring(0.0), nullptr, &bounded);
  whole.AddResidualBlock(NewSpring<4>(0.0), nullptr, quaternion);
  whole.SetParameterBlockConstant(&constant);
  whole.SetParameterLowerBound(&bounded, 0, 3.5);
  whole.SetManifold(quaternion, new QuaternionManifold);

  WeightedProblem copy(*whole.mutable_impl(), nullptr, {}, {});
  const Problem& problem = *copy.problem();
  std::vector<double*> expected, found;
  whole.GetParameterBlocks(&expected);
  problem.GetParameterBlocks(&found);
  EXPECT_EQ(found, expected);
  EXPECT_FALSE(problem.IsParameterBlockConstant(plain));
  EXPECT_TRUE(problem.IsParameterBlockConstant(&constant));
  EXPECT_EQ(problem.GetParameterLowerBound(&bounded, 0), 3.5);
  EXPECT_EQ(problem.GetParameterUpperBound(&bounded, 0),
            whole.GetParameterUpperBound(&bounded, 0));
  EXPECT_EQ(problem.GetManifold(quaternion), whole.GetManifold(quaternion));
  EXPECT_EQ(problem.GetManifold(plain), nullptr);
}

}  // namespace
}  // namespace ceres::internal
