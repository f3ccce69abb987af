// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/worth_sharing.h"

#include <algorithm>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/problem.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

class IsWorthSharingTest : public testing::Test {
 protected:
  bool IsWorthIt() { return IsWorthSharing(options, *problem.mutable_impl()); }

  Problem problem;
  Solver::Options options;
  std::vector<double> x = std::vector<double>(100, 1.0);
};

TEST_F(IsWorthSharingTest, NotWhileTheJacobianIsASingleRowChunk) {
  while (!IsWorthIt()) {
    const ProblemImpl& impl = *problem.mutable_impl();
    const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
    ASSERT_LE(Evaluator(program, {}).structure().num_row_chunks(), 1);
    for (int i = 0; i < 100; ++i) {
      problem.AddResidualBlock(new SineCost(2, {1, 3}, i), nullptr, &x[0],
                               &x[1]);
    }
  }
  EXPECT_GT(problem.NumResidualBlocks(), 800);
}

TEST_F(IsWorthSharingTest, ManyParametersAreWorthIt) {
  problem.AddResidualBlock(new SineCost(1, {64}, 1), nullptr, x.data());
  EXPECT_FALSE(IsWorthIt());
  problem.AddResidualBlock(new SineCost(1, {1}, 2), nullptr, &x[64]);
  EXPECT_TRUE(IsWorthIt());
}

TEST_F(IsWorthSharingTest, InnerIterationsAreWorthIt) {
  problem.AddResidualBlock(new SineCost(1, {2}, 1), nullptr, x.data());
  EXPECT_FALSE(IsWorthIt());
  options.use_inner_iterations = true;
  EXPECT_TRUE(IsWorthIt());
}

TEST_F(IsWorthSharingTest, SolvesOfBothKindsCountTheThreadsThatWereAskedFor) {
  for (const int num_residuals : {1, 9000}) {
    Problem other;
    other.AddResidualBlock(new SineCost(num_residuals, {1}, 1), nullptr,
                           x.data());
    options.num_threads = 2;
    options.max_num_iterations = 1;
    options.logging_type = SILENT;
    Solver::Summary summary;
    Solve(options, &other, &summary);
    EXPECT_EQ(summary.num_threads_given, 2);
    EXPECT_EQ(summary.num_threads_used,
              std::min(2, parallel::AvailableConcurrency()));
  }
}

}  // namespace
}  // namespace ceres::internal
