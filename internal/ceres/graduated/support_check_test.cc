// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/support_check.h"

#include <algorithm>
#include <limits>
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

// Norms of a chain relative to c^2 = 4. weights: of the blocks.
class SupportCheck {
 public:
  SupportCheck(Chain* chain, const std::vector<double>& weights)
      : weights_(weights),
        norms_(Solver::Options(), Options(), chain->problem.mutable_impl(),
               chain->blocks),
        weighted_(*chain->problem.mutable_impl(), nullptr, chain->blocks,
                  weights_),
        checked_{chain->problem,    chain->blocks, norms_, weights_,
                 /*num_threads=*/1, &weighted_} {}

  static GraduatedOptions Options() {
    GraduatedOptions options;
    options.inlier_cost_bound = 2.0;
    return options;
  }
  std::vector<double> Deletion() const { return DeletionNorms(checked_); }
  std::vector<double> Addition() const { return AdditionNorms(checked_); }

 private:
  const std::vector<double> weights_;
  const RelativeNorms norms_;
  WeightedProblem weighted_;
  const CheckedProblem checked_;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SupportCheck, DeletionIsTwiceTheCostThatTheProblemLosesWithTheBlock) {
  Chain chain;
  const std::vector<double> norms =
      SupportCheck(&chain, std::vector<double>(5, 1.0)).Deletion();
  ASSERT_EQ(norms.size(), chain.blocks.size());
  for (int i = 0; i < 5; ++i) {
    const double lost = chain.cost - Chain(i).cost;
    EXPECT_NEAR(norms[i], 2.0 * lost / 4.0, 1e-9) << i;
    EXPECT_GT(norms[i], 0.0) << i;
  }
}

TEST(SupportCheck, AdditionIsTwiceTheCostThatTheProblemGainsWithTheBlock) {
  const double cost_of_all = Chain().cost;
  // Without one of these, the others determine the chain.
  for (const int i : {0, 2, 3, 4}) {
    const Chain without(i);
    Chain chain;
    std::copy_n(without.x, 4, chain.x);
    std::vector<double> weights(5, 1.0);
    weights[i] = 0.0;
    const std::vector<double> norms = SupportCheck(&chain, weights).Addition();
    for (int k = 0; k < 5; ++k) {
      if (k == i) {
        const double gained = cost_of_all - without.cost;
        EXPECT_NEAR(norms[k], 2.0 * gained / 4.0, 1e-9) << i;
      } else {
        EXPECT_EQ(norms[k], kInfinity) << i << " " << k;
      }
    }
  }
}

TEST(SupportCheck, AdditionLeavesOutWhatIsFarAway) {
  Chain chain;
  chain.problem.RemoveResidualBlock(chain.blocks[4]);
  chain.blocks[4] = chain.problem.AddResidualBlock(
      NewCost<1, 1, 1>([](const auto* p, const auto* q, auto* r) {
        r[0] = q[0] - p[0] - 90.0;
      }),
      nullptr, &chain.x[1], &chain.x[3]);
  EXPECT_EQ(SupportCheck(&chain, {1.0, 1.0, 1.0, 1.0, 0.0}).Addition(),
            std::vector<double>(5, kInfinity));
}

TEST(SupportCheck, AdditionLeavesOutWhatNothingElseDetermines) {
  // Only blocks 0 and 3 have x[0], which is constant, and only blocks 0, 1 and
  // 4 have x[1].
  Chain chain;
  EXPECT_EQ(SupportCheck(&chain, {0.0, 0.0, 1.0, 1.0, 0.0}).Addition(),
            std::vector<double>(5, kInfinity));
}

TEST(SupportCheck, ChecksBlocksOfTheirWeightOnly) {
  Chain chain;
  const SupportCheck check(&chain, {1.0, 0.5, 0.0, 1.0, 1.0});
  const std::vector<double> deletion = check.Deletion();
  EXPECT_GT(deletion[0], 0.0);
  EXPECT_EQ(deletion[1], 0.0);
  EXPECT_EQ(deletion[2], 0.0);
  const std::vector<double> addition = check.Addition();
  EXPECT_EQ(addition[0], kInfinity);
  EXPECT_EQ(addition[1], kInfinity);
  EXPECT_LT(addition[2], kInfinity);
}

TEST(SupportCheck, BlocksOfConstantsDoNotPullTheSolution) {
  Chain chain;
  for (int i = 0; i < 2; ++i) {
    chain.blocks.push_back(
        chain.problem.AddResidualBlock(NewSpring(6.0), nullptr, &chain.x[0]));
  }
  const SupportCheck check(&chain, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0});
  EXPECT_DOUBLE_EQ(check.Deletion()[5], 36.0 / 4.0);
  EXPECT_EQ(check.Addition()[6], kInfinity);
}

TEST(SupportCheck, ChecksNothingWithoutFullRank) {
  Chain chain;
  chain.problem.SetParameterBlockVariable(&chain.x[0]);
  const SupportCheck check(&chain, {1.0, 1.0, 0.0, 1.0, 1.0});
  EXPECT_EQ(check.Deletion(), std::vector<double>(5, 0.0));
  EXPECT_EQ(check.Addition(), std::vector<double>(5, kInfinity));
}

TEST(SupportStatistic, LeavesOutWhatABlockAloneDetermines) {
  // Two residuals of two parameters; the first parameter is known from the
  // first residual alone.
  const double f[2] = {0.0, 0.6};
  const double jacobian[4] = {1.0, 0.0, 0.0, 1.0};
  const double covariance[4] = {1.0, 0.0, 0.0, 0.75};
  EXPECT_NEAR(SupportStatistic(Side::kInlier, 2, 2, f, jacobian, covariance),
              0.36 / 0.25, 1e-12);
  EXPECT_NEAR(SupportStatistic(Side::kOutlier, 2, 2, f, jacobian, covariance),
              0.36 / 1.75, 1e-12);
}

}  // namespace
}  // namespace ceres::internal
