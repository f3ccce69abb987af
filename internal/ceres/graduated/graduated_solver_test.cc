// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated_solver.h"

#include <cmath>
#include <string>
#include <vector>

#include "ceres/graduated/graduated_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/normal_prior.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SolveGraduated, TruncatedSquaresEndAtTheMeanOfInliers) {
  Mean mean;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), MeanOptions(), &mean.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(mean.x, mean.MeanOfInliers(), 1e-9);
  EXPECT_EQ(summary.num_inliers, Mean::kNumInliers);
  EXPECT_EQ(summary.outliers,
            std::vector<ResidualBlockId>(
                mean.blocks.begin() + Mean::kNumInliers, mean.blocks.end()));
  double cost = 0.0;
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(summary.weights[i], i < Mean::kNumInliers ? 1.0 : 0.0) << i;
    if (i < Mean::kNumInliers)
      cost += 0.5 * std::pow(mean.values[i] - mean.x, 2);
  }
  EXPECT_NEAR(summary.final_cost, cost, 1e-9);
}

TEST(SolveGraduated, GemanMcClureEndsAtAMinimumOfItsLoss) {
  Mean mean;
  GraduatedOptions options = MeanOptions();
  options.loss = GraduatedLoss::kGemanMcClure;
  options.inlier_cost_bound = 2.0;  // c^2 = 4
  options.cost_tolerance = 1e-14;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), options, &mean.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  double gradient = 0.0;
  double curvature = 0.0;
  for (int i = 0; i < 15; ++i) {
    const double r = mean.x - mean.values[i];
    const double weight = std::pow(4.0 / (4.0 + r * r), 2);
    EXPECT_NEAR(summary.weights[i], weight, 1e-5) << i;
    gradient += weight * r;
    // The second derivative of 4 r^2 / (4 + r^2) / 2.
    curvature += 16.0 * (4.0 - 3.0 * r * r) / std::pow(4.0 + r * r, 3);
  }
  EXPECT_NEAR(gradient, 0.0, 1e-5);
  EXPECT_GT(curvature, 0.0);
  EXPECT_NEAR(mean.x, mean.MeanOfInliers(), 0.05);
  EXPECT_EQ(summary.rounds.back().control, 1.0);
}

TEST(SolveGraduated, FindsTheInlierBoundFromTheNumberOfResiduals) {
  double x[2] = {0.0, 0.0};
  Problem problem;
  const auto add = [&](double target, double distance) {
    problem.AddResidualBlock(NewCost<2, 2>([=](const auto* x, auto* r) {
                               r[0] = x[0] - target;
                               r[1] = x[1] - distance;
                             }),
                             nullptr, x);
  };
  // Constant parameters: the norms are those of the measurements. The 0.99
  // quantile of two degrees is 9.2103, that of one degree 6.6349.
  add(0.0, std::sqrt(9.20));
  add(0.0, std::sqrt(9.22));
  double y = 0.0;
  problem.AddResidualBlock(NewSpring(std::sqrt(6.63)), nullptr, &y);
  problem.AddResidualBlock(NewSpring(std::sqrt(6.64)), nullptr, &y);
  problem.SetParameterBlockConstant(x);
  problem.SetParameterBlockConstant(&y);
  GraduatedOptions options;
  options.inlier_probability = 0.99;
  const GraduatedSummary summary =
      SolveGraduatedWith(DenseQrOptions(), options, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_THAT(summary.weights, ElementsAre(1.0, 0.0, 1.0, 0.0));
}

TEST(SolveGraduated, EndsAtTheSolutionOfTheGraphWithoutFalseLoops) {
  Chain without(0);
  const Solver::Summary expected = SolveWith(SparseOptions(), &without.problem);
  Chain chain(15);
  const GraduatedSummary summary =
      SolveGraduatedWith(SparseOptions(), chain.Options(), &chain.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_EQ(summary.outliers, std::vector<ResidualBlockId>(
                                  chain.loops.end() - 15, chain.loops.end()));
  EXPECT_NEAR(summary.final_cost, expected.final_cost,
              1e-8 * expected.final_cost);
  for (int i = 0; i <= 60; ++i) EXPECT_NEAR(chain.x[i], without.x[i], 1e-6);
}

TEST(SolveGraduated, KeepsPreprocessingWhileNoBlocksLeave) {
  Chain chain(15);
  const GraduatedSummary summary =
      SolveGraduatedWith(SparseOptions(), chain.Options(), &chain.problem);
  ASSERT_GT(summary.rounds.size(), 10u);
  int num_new = 0;
  for (const GraduatedSummary::Round& round : summary.rounds) {
    num_new += round.preprocessing_was_kept ? 0 : 1;
  }
  EXPECT_FALSE(summary.rounds.front().preprocessing_was_kept);
  EXPECT_LT(num_new, static_cast<int>(summary.rounds.size()) / 2);
}

// 100 steps of sigma 0.1, which have sigma 1 together, from 0 to 100, and one
// loop closure between the ends. The start is at a multiple of the steps.
class LongChain {
 public:
  LongChain(double loop, double start) : x(101) {
    for (int i = 0; i < 100; ++i) {
      options.certain_residual_blocks.insert(Add(i, i + 1, 1.0));
      x[i + 1] = x[i] + start / 100.0;
    }
    loop_block = Add(0, 100, loop);
    problem.SetParameterBlockConstant(&x[0]);
  }
  GraduatedSummary Solve() {
    return SolveGraduatedWith(SparseOptions(), options, &problem);
  }

  std::vector<double> x;
  Problem problem;
  GraduatedOptions options;
  ResidualBlockId loop_block;

 private:
  ResidualBlockId Add(int a, int b, double difference) {
    return problem.AddResidualBlock(
        NewCost<1, 1, 1>([=](const auto* p, const auto* q, auto* r) {
          r[0] = (q[0] - p[0] - difference) / 0.1;
        }),
        nullptr, &x[a], &x[b]);
  }
};

TEST(SolveGraduated, DropsAFalseLoopThatBendsTheSolution) {
  // 3.5 sigma from the truth. At the start it is an inlier.
  LongChain chain(/*loop=*/103.5, /*start=*/103.5);
  chain.options.max_num_checks = 0;
  GraduatedSummary summary = chain.Solve();
  EXPECT_TRUE(summary.outliers.empty());
  EXPECT_NEAR(chain.x[100], 100.0 + 3.5 * 100.0 / 101.0, 1e-6);

  chain.options.max_num_checks = 3;
  summary = chain.Solve();
  EXPECT_THAT(summary.outliers, ElementsAre(chain.loop_block));
  EXPECT_NEAR(chain.x[100], 100.0, 1e-6);
}

TEST(SolveGraduated, AddsATrueLoopThatIsFarFromTheSolution) {
  // 3 sigma from the truth: its innovation is 9 / 1.01, less than the 0.999
  // quantile, 10.83. It is 30 of its own sigmas away, and rounds that change
  // the loss at once reject it.
  LongChain chain(/*loop=*/103.0, /*start=*/100.0);
  chain.options.control_factor = 1e6;
  chain.options.max_num_checks = 0;
  GraduatedSummary summary = chain.Solve();
  EXPECT_THAT(summary.outliers, ElementsAre(chain.loop_block));
  EXPECT_NEAR(chain.x[100], 100.0, 1e-6);

  chain.options.max_num_checks = 3;
  summary = chain.Solve();
  EXPECT_TRUE(summary.outliers.empty());
  EXPECT_NEAR(chain.x[100], 100.0 + 3.0 * 100.0 / 101.0, 1e-6);
}

TEST(SolveGraduated, HasTheSameBitsForEveryNumberOfThreads) {
  std::vector<double> reference;
  std::vector<double> reference_weights;
  for (const int num_threads : {1, 2, 4}) {
    SharingContext context(num_threads);
    Chain chain(15, context.problem_options);
    const GraduatedSummary summary = SolveGraduatedWith(
        SparseOptions(num_threads), chain.Options(), &chain.problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
    if (num_threads == 1) {
      reference = chain.x;
      reference_weights = summary.weights;
    }
    EXPECT_TRUE(SameBits(chain.x, reference)) << num_threads;
    EXPECT_TRUE(SameBits(summary.weights, reference_weights)) << num_threads;
  }
}

TEST(SolveGraduated, LeavesTheProblemAsItWas) {
  double x = 3.0;
  Problem problem;
  LossFunction* const huber = new HuberLoss(0.5);
  LossFunction* const cauchy = new CauchyLoss(0.5);
  const ResidualBlockId certain =
      problem.AddResidualBlock(NewSpring(1.0), huber, &x);
  const ResidualBlockId uncertain =
      problem.AddResidualBlock(NewSpring(2.0), cauchy, &x);
  const auto cost_at_three = [&] {
    x = 3.0;
    double cost = 0.0;
    EXPECT_TRUE(problem.Evaluate(Problem::EvaluateOptions(), &cost, nullptr,
                                 nullptr, nullptr));
    return cost;
  };
  const double cost = cost_at_three();
  GraduatedOptions options;
  options.certain_residual_blocks = {certain};
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), options, &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  // The certain block has its loss, whose gradient far away is its scale. The
  // other has weight 1 in place of its loss.
  EXPECT_NEAR(x, 1.5, 1e-7);
  EXPECT_EQ(problem.GetLossFunctionForResidualBlock(certain), huber);
  EXPECT_EQ(problem.GetLossFunctionForResidualBlock(uncertain), cauchy);
  EXPECT_EQ(cost_at_three(), cost);
}

TEST(SolveGraduated, RefusesConstraintsByName) {
  double x = 0.5;
  Problem problem;
  const auto make = [] {
    return new NormalPrior(Eigen::MatrixXd::Identity(1, 1),
                           Eigen::VectorXd::Ones(1));
  };
  problem.AddResidualBlock(make(), nullptr, &x);
  problem.SetConstraintName(problem.AddEqualityConstraint(make(), {&x}), "rod");
  GraduatedSummary summary;
  SolveGraduated({}, {}, &problem, &summary);
  EXPECT_THAT(
      summary.message,
      testing::HasSubstr("SolveGraduated does not support constraints"));
  EXPECT_THAT(summary.message, testing::HasSubstr("\"rod\""));
  EXPECT_EQ(x, 0.5);
}

TEST(SolveGraduated, ReportsOneLine) {
  Mean mean;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), MeanOptions(), &mean.problem);
  const std::string report = summary.BriefReport();
  EXPECT_THAT(report, HasSubstr("Inliers: 9, Outliers: 6"));
  EXPECT_THAT(report, HasSubstr("CONVERGENCE"));
  EXPECT_EQ(report.find('\n'), std::string::npos);
}

TEST(SolveGraduated, SolvesProblemsWithoutUncertainBlocks) {
  for (const GraduatedLoss loss :
       {GraduatedLoss::kTruncatedSquares, GraduatedLoss::kGemanMcClure}) {
    Mean mean;
    GraduatedOptions options;
    options.loss = loss;
    options.certain_residual_blocks = {mean.blocks.begin(), mean.blocks.end()};
    const GraduatedSummary summary =
        SolveGraduatedWith(TightDenseQrOptions(), options, &mean.problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    double sum = 0.0;
    for (const double value : mean.values) sum += value;
    EXPECT_NEAR(mean.x, sum / 15.0, 1e-6);
    EXPECT_EQ(summary.num_inliers, 15);
  }
}

}  // namespace
}  // namespace ceres::internal
