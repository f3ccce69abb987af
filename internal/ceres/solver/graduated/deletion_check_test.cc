// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/graduated/deletion_check.h"

#include <memory>
#include <vector>

#include "ceres/graduated_solver.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A chain of four numbers with the first one constant: steps, and two closures
// that disagree with them.
struct Chain {
  explicit Chain(int without = -1) {
    const auto add = [&](int a, int b, double difference, double weight) {
      if (without == num_blocks++) return;
      blocks.push_back(problem.AddResidualBlock(
          NewCost<1, 1, 1>([=](const auto* p, const auto* q, auto* r) {
            r[0] = weight * (q[0] - p[0] - difference);
          }),
          nullptr, &x[a], &x[b]));
    };
    add(0, 1, 1.0, 1.0);
    add(1, 2, 1.1, 2.0);
    add(2, 3, 0.9, 1.0);
    add(0, 3, 3.4, 1.5);
    add(1, 3, 1.8, 0.7);
    problem.SetParameterBlockConstant(&x[0]);
    cost = SolveWith(TightDenseQrOptions(), &problem).final_cost;
  }
  double x[4] = {0.0, 0.0, 0.0, 0.0};
  Problem problem;
  std::vector<ResidualBlockId> blocks;
  int num_blocks = 0;
  double cost = 0.0;
};

TEST(DeletionCheck, NormIsTwiceTheCostThatTheProblemLosesWithTheBlock) {
  Chain chain;
  GraduatedOptions options;
  options.inlier_cost_bound = 2.0;  // c^2 = 4
  const RelativeNorms norms(Solver::Options(), options,
                            chain.problem.mutable_impl(), chain.blocks);
  const std::vector<double> weights(chain.blocks.size(), 1.0);
  WeightedProblem weighted(*chain.problem.mutable_impl(), nullptr, chain.blocks,
                           weights);
  const std::vector<double> deletion_norms =
      DeletionNorms(chain.blocks, norms, weights, /*num_threads=*/1, &weighted);
  ASSERT_EQ(deletion_norms.size(), chain.blocks.size());
  for (int i = 0; i < 5; ++i) {
    const double lost = chain.cost - Chain(i).cost;
    EXPECT_NEAR(deletion_norms[i], 2.0 * lost / 4.0, 1e-9) << i;
    EXPECT_GT(deletion_norms[i], 0.0) << i;
  }
}

TEST(DeletionCheck, ChecksBlocksOfWeightOneOnly) {
  Chain chain;
  const RelativeNorms norms(Solver::Options(), GraduatedOptions(),
                            chain.problem.mutable_impl(), chain.blocks);
  const std::vector<double> weights = {1.0, 0.5, 0.0, 1.0, 1.0};
  WeightedProblem weighted(*chain.problem.mutable_impl(), nullptr, chain.blocks,
                           weights);
  const std::vector<double> deletion_norms =
      DeletionNorms(chain.blocks, norms, weights, /*num_threads=*/1, &weighted);
  EXPECT_GT(deletion_norms[0], 0.0);
  EXPECT_EQ(deletion_norms[1], 0.0);
  EXPECT_EQ(deletion_norms[2], 0.0);
}

TEST(DeletionCheck, ReturnsZerosWithoutFullRank) {
  Chain chain;
  chain.problem.SetParameterBlockVariable(&chain.x[0]);
  const RelativeNorms norms(Solver::Options(), GraduatedOptions(),
                            chain.problem.mutable_impl(), chain.blocks);
  const std::vector<double> weights(chain.blocks.size(), 1.0);
  WeightedProblem weighted(*chain.problem.mutable_impl(), nullptr, chain.blocks,
                           weights);
  EXPECT_EQ(
      DeletionNorms(chain.blocks, norms, weights, /*num_threads=*/1, &weighted),
      std::vector<double>(chain.blocks.size(), 0.0));
}

TEST(DeletionStatistic, LeavesOutWhatABlockAloneDetermines) {
  // Two residuals of two parameters; the first parameter is known from the
  // first residual alone.
  const double f[2] = {0.0, 0.6};
  const double jacobian[4] = {1.0, 0.0, 0.0, 1.0};
  const double covariance[4] = {1.0, 0.0, 0.0, 0.75};
  EXPECT_NEAR(DeletionStatistic(2, 2, f, jacobian, covariance), 0.36 / 0.25,
              1e-12);
}

}  // namespace
}  // namespace ceres::internal
