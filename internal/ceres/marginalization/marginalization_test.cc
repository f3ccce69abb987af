// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization.h"

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ceres/internal/eigen.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linearization.h"
#include "ceres/linearized_prior.h"
#include "ceres/loss_function.h"
#include "ceres/marginalization/dense_marginal_test_utils.h"
#include "ceres/marginalization/linear_cost_test_utils.h"
#include "ceres/problem.h"
#include "ceres/sized_cost_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::DenseInverse;
using internal::DenseJacobian;
using internal::LinearCost;
using internal::LinearizeAll;
using internal::PriorOf;
using internal::RandomMatrix;
using internal::RandomVector;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Linear residual blocks on blocks of sizes 3, 2, 1, 3, 2, 2. The first three
// are removed; the last one shares no residual block with them.
class LinearProblem {
 public:
  explicit LinearProblem(const Problem::Options& options = {})
      : problem(options) {
    std::mt19937 random(5);
    const int sizes[] = {3, 2, 1, 3, 2, 2};
    for (int k = 0; k < 6; ++k) {
      values.push_back(RandomVector(sizes[k], &random));
    }
    for (Vector& v : values) blocks.push_back(v.data());
    const std::vector<std::vector<int>> rows = {
        {0}, {0, 1}, {1, 2}, {2, 3}, {0, 3}, {1, 4}, {3, 4}, {4, 5}, {5}, {2}};
    for (const std::vector<int>& own : rows) {
      std::vector<Matrix> a;
      std::vector<double*> arguments;
      for (const int k : own) {
        a.push_back(RandomMatrix(3, sizes[k], &random));
        arguments.push_back(blocks[k]);
      }
      problem.AddResidualBlock(
          new LinearCost(std::move(a), RandomVector(3, &random)), nullptr,
          arguments);
    }
  }

  std::vector<double*> Removed() const {
    return {blocks[0], blocks[1], blocks[2]};
  }

  std::vector<Vector> values;
  std::vector<double*> blocks;
  Problem problem;
};

// The normal distribution of the last three blocks.
struct Marginal {
  MatrixXd covariance;
  VectorXd mean;  // as the difference to the current values
};

Marginal DenseMarginal(LinearProblem* p) {
  MatrixXd j;
  VectorXd r;
  LinearizeAll(&p->problem, p->blocks, &j, &r);
  const MatrixXd covariance = DenseInverse(j.transpose() * j);
  return {covariance.bottomRightCorner(7, 7),
          -(covariance * (j.transpose() * r)).tail(7)};
}

Marginal MarginalAfterwards(LinearProblem* p) {
  MatrixXd j;
  VectorXd r;
  LinearizeAll(&p->problem, {p->blocks[3], p->blocks[4], p->blocks[5]}, &j, &r);
  const MatrixXd covariance = DenseInverse(j.transpose() * j);
  return {covariance, -covariance * (j.transpose() * r)};
}

void ExpectTheDenseMarginal(const MarginalizationOptions& options,
                            double tolerance) {
  LinearProblem p;
  const Marginal expected = DenseMarginal(&p);
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize(options, p.Removed(), &p.problem, &summary))
      << summary.message;
  EXPECT_EQ(p.problem.NumParameterBlocks(), 3);
  EXPECT_EQ(p.problem.NumResidualBlocks(), 4);
  const Marginal marginal = MarginalAfterwards(&p);
  EXPECT_LT((marginal.covariance - expected.covariance).norm(),
            tolerance * expected.covariance.norm());
  EXPECT_LT((marginal.mean - expected.mean).norm(),
            tolerance * expected.mean.norm());
}

TEST(MarginalizeTest, ALinearProblemHasTheMarginalOfTheDenseInverse) {
  ExpectTheDenseMarginal(MarginalizationOptions(), 1e-12);
  MarginalizationOptions schur;
  schur.method = MarginalizationMethod::kSchurComplement;
  ExpectTheDenseMarginal(schur, 1e-11);
}

TEST(MarginalizeTest, TheSummaryDescribesThePrior) {
  LinearProblem p;
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize({}, p.Removed(), &p.problem, &summary));
  EXPECT_THAT(summary.message, IsEmpty());
  EXPECT_THAT(summary.removed_parameter_blocks,
              ElementsAre(p.blocks[0], p.blocks[1], p.blocks[2]));
  EXPECT_THAT(summary.neighbours, ElementsAre(p.blocks[3], p.blocks[4]));
  EXPECT_EQ(summary.num_removed_residual_blocks, 7);
  EXPECT_EQ(summary.num_removed_residuals, 21);
  EXPECT_EQ(summary.rank, 5);
  EXPECT_EQ(summary.num_columns, 5);
  EXPECT_EQ(summary.eliminated_rank, 6);
  EXPECT_EQ(summary.num_eliminated_columns, 6);
  EXPECT_EQ(summary.num_neighbour_pairs, 1);
  EXPECT_EQ(summary.num_fill_pairs, 1);
  EXPECT_GT(summary.condition_number, 1.0);
  EXPECT_EQ(PriorOf(p.problem, summary).A().rows(), 5);
}

TEST(MarginalizeTest, CostsAreThoseOfTheLinearization) {
  LinearProblem p;
  // The removed residual blocks alone.
  std::vector<ResidualBlockId> all, removed;
  p.problem.GetResidualBlocks(&all);
  for (const int i : {0, 1, 2, 3, 4, 5, 9}) removed.push_back(all[i]);
  LinearizationOptions options;
  options.parameter_blocks.assign(p.blocks.begin(), p.blocks.begin() + 5);
  Linearization linearization;
  ASSERT_TRUE(p.problem.Linearize(options, removed, &linearization));
  const MatrixXd j = DenseJacobian(linearization);
  const VectorXd r = linearization.Residuals();
  const VectorXd rest = r + j * internal::DenseLeastSquares(j, -r);
  const MatrixXd jm = j.leftCols(6);
  const VectorXd here = r + jm * internal::DenseLeastSquares(jm, -r);

  for (const auto method : {MarginalizationMethod::kBlockQr,
                            MarginalizationMethod::kSchurComplement}) {
    LinearProblem copy;
    MarginalizationOptions marginalization;
    marginalization.method = method;
    MarginalizationSummary summary;
    ASSERT_TRUE(
        Marginalize(marginalization, copy.Removed(), &copy.problem, &summary));
    EXPECT_NEAR(summary.removed_cost, 0.5 * r.squaredNorm(), 1e-12);
    EXPECT_NEAR(summary.least_cost, 0.5 * rest.squaredNorm(), 1e-11);
    double prior_cost;
    ASSERT_TRUE(copy.problem.EvaluateResidualBlock(
        summary.prior, true, &prior_cost, nullptr, nullptr));
    EXPECT_NEAR(prior_cost + summary.least_cost, 0.5 * here.squaredNorm(),
                1e-11);
  }
}

TEST(MarginalizeTest, FastRemovalGivesTheSameBits) {
  Problem::Options options;
  options.enable_fast_removal = true;
  LinearProblem fast(options), slow;
  MarginalizationSummary fast_summary, slow_summary;
  ASSERT_TRUE(Marginalize({}, fast.Removed(), &fast.problem, &fast_summary));
  ASSERT_TRUE(Marginalize({}, slow.Removed(), &slow.problem, &slow_summary));
  EXPECT_EQ(PriorOf(fast.problem, fast_summary).ToBinary(),
            PriorOf(slow.problem, slow_summary).ToBinary());
}

TEST(MarginalizeTest, ConstantBlocksAreNeitherColumnsNorNeighbours) {
  LinearProblem p, q;
  for (LinearProblem* each : {&p, &q}) {
    each->problem.SetParameterBlockConstant(each->blocks[1]);
    each->problem.SetParameterBlockConstant(each->blocks[4]);
  }
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize({}, p.Removed(), &p.problem, &summary));
  EXPECT_EQ(summary.num_eliminated_columns, 4);
  EXPECT_THAT(summary.neighbours, ElementsAre(p.blocks[3]));
  MatrixXd j;
  VectorXd r;
  LinearizeAll(&q.problem, {q.blocks[0], q.blocks[2], q.blocks[3], q.blocks[5]},
               &j, &r);
  const MatrixXd expected =
      DenseInverse(j.transpose() * j).bottomRightCorner(5, 5);
  LinearizeAll(&p.problem, {p.blocks[3], p.blocks[5]}, &j, &r);
  EXPECT_LT((DenseInverse(j.transpose() * j) - expected).norm(),
            1e-12 * expected.norm());
}

TEST(MarginalizeTest, ABlockWithoutResidualBlocksIsOnlyRemoved) {
  Problem problem;
  double x = 1.0;
  problem.AddParameterBlock(&x, 1);
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize({}, {&x}, &problem, &summary));
  EXPECT_EQ(problem.NumParameterBlocks(), 0);
  EXPECT_EQ(summary.prior, nullptr);
}

TEST(MarginalizeTest, ResidualBlocksOnRemovedBlocksOnlyLeaveNoPrior) {
  Problem problem;
  double x = 1.0, y = 2.0;
  problem.AddResidualBlock(
      new LinearCost({Matrix::Ones(2, 1)}, Vector::Constant(2, -3.0)), nullptr,
      &x);
  problem.AddResidualBlock(
      new LinearCost({Matrix::Ones(1, 1)}, Vector::Ones(1)), nullptr, &y);
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize({}, {&x}, &problem, &summary));
  EXPECT_EQ(summary.prior, nullptr);
  EXPECT_EQ(summary.rank, 0);
  EXPECT_EQ(summary.eliminated_rank, 1);
  EXPECT_NEAR(summary.removed_cost, 4.0, 1e-14);
  EXPECT_NEAR(summary.least_cost, 0.0, 1e-14);
  EXPECT_EQ(problem.NumResidualBlocks(), 1);
}

TEST(MarginalizeTest, ResidualsOfConstantBlocksAreCosts) {
  for (const auto method : {MarginalizationMethod::kBlockQr,
                            MarginalizationMethod::kSchurComplement}) {
    Problem problem;
    double c = 3.0, x = 1.0;
    problem.AddResidualBlock(
        new LinearCost({Matrix::Ones(1, 1)}, Vector::Ones(1)), nullptr, &c);
    problem.AddResidualBlock(
        new LinearCost({Matrix::Ones(1, 1)}, Vector::Ones(1)), nullptr, &x);
    problem.SetParameterBlockConstant(&c);
    MarginalizationOptions options;
    options.method = method;
    MarginalizationSummary summary;
    ASSERT_TRUE(Marginalize(options, {&c, &x}, &problem, &summary));
    EXPECT_DOUBLE_EQ(summary.removed_cost, 10.0);
    EXPECT_NEAR(summary.least_cost, 8.0, 1e-14);
    EXPECT_EQ(problem.NumParameterBlocks(), 0);
  }
}

TEST(MarginalizeTest, ErrorsLeaveTheProblemAsItIs) {
  LinearProblem p;
  p.problem.SetParameterLowerBound(p.blocks[1], 0, -10.0);
  MarginalizationSummary summary;
  EXPECT_FALSE(Marginalize({}, p.Removed(), &p.problem, &summary));
  EXPECT_THAT(summary.message, HasSubstr("Parameter block 1 (at "));
  EXPECT_THAT(summary.message, HasSubstr("has bounds"));
  EXPECT_EQ(p.problem.NumParameterBlocks(), 6);
  EXPECT_EQ(p.problem.NumResidualBlocks(), 10);
  // A constant block keeps within its bounds.
  p.problem.SetParameterBlockConstant(p.blocks[1]);
  EXPECT_TRUE(Marginalize({}, {p.blocks[1]}, &p.problem, &summary));
}

// Fails or throws, as it is told.
class BadCost final : public SizedCostFunction<1, 3> {
 public:
  explicit BadCost(bool throws) : throws_(throws) {}
  bool Evaluate(double const* const*, double*, double**) const override {
    if (throws_) throw std::runtime_error("no value");
    return false;
  }

 private:
  const bool throws_;
};

TEST(MarginalizeTest, FailuresOfCostFunctionsLeaveTheProblemAsItIs) {
  for (const bool throws : {false, true}) {
    LinearProblem p;
    p.problem.AddResidualBlock(new BadCost(throws), nullptr, p.blocks[0]);
    MarginalizationSummary summary;
    if (throws) {
      EXPECT_THROW(Marginalize({}, p.Removed(), &p.problem, &summary),
                   std::runtime_error);
    } else {
      EXPECT_FALSE(Marginalize({}, p.Removed(), &p.problem, &summary));
      EXPECT_THAT(summary.message, HasSubstr("Residual block 10"));
    }
    EXPECT_EQ(p.problem.NumParameterBlocks(), 6);
    EXPECT_EQ(p.problem.NumResidualBlocks(), 11);
  }
}

TEST(MarginalizeTest, LossFunctionsBecomeWeights) {
  const auto build = [](Problem* problem, double* x, double* y, double weight) {
    std::mt19937 random(6);
    const Matrix a = RandomMatrix(2, 2, &random),
                 b = RandomMatrix(2, 2, &random);
    const Vector r = 3.0 * RandomVector(2, &random);
    problem->AddResidualBlock(
        new LinearCost({weight * a, weight * b}, weight * r),
        weight == 1.0 ? new HuberLoss(0.25) : nullptr, x, y);
    problem->AddResidualBlock(
        new LinearCost({RandomMatrix(3, 2, &random)}, RandomVector(3, &random)),
        nullptr, x);
  };
  double x[2] = {1.0, 2.0}, y[2] = {-0.5, 0.5};
  Problem robust;
  build(&robust, x, y, 1.0);
  std::vector<ResidualBlockId> ids;
  robust.GetResidualBlocks(&ids);
  double r[2];
  ASSERT_TRUE(robust.EvaluateResidualBlock(ids[0], false, nullptr, r, nullptr));
  const double norm = std::hypot(r[0], r[1]);
  ASSERT_GT(norm, 0.25);  // an outlier: rho' = a / |r|
  Problem weighted;
  build(&weighted, x, y, std::sqrt(0.25 / norm));
  MarginalizationSummary robust_summary, weighted_summary;
  ASSERT_TRUE(Marginalize({}, {x}, &robust, &robust_summary));
  ASSERT_TRUE(Marginalize({}, {x}, &weighted, &weighted_summary));
  const LinearizedPrior& a = PriorOf(robust, robust_summary);
  const LinearizedPrior& b = PriorOf(weighted, weighted_summary);
  EXPECT_LT((a.A().transpose() * a.A() - b.A().transpose() * b.A()).norm(),
            1e-13);
  EXPECT_LT((a.A().transpose() * a.b() - b.A().transpose() * b.b()).norm(),
            1e-13);
  EXPECT_EQ(robust.GetLossFunctionForResidualBlock(robust_summary.prior),
            nullptr);
}

TEST(MarginalizeTest, AnUndeterminedRemovedBlockIsRankDeficient) {
  // The first coordinate of x is not measured.
  Problem problem;
  double x[2] = {1.0, 2.0}, y[1] = {3.0};
  Matrix a(2, 2);
  a << 0, 1, 0, 2;
  problem.AddResidualBlock(
      new LinearCost({a, Matrix::Identity(2, 1)}, Vector::Ones(2)), nullptr, x,
      y);
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize({}, {x}, &problem, &summary));
  EXPECT_EQ(summary.eliminated_rank, 1);
  EXPECT_EQ(summary.num_eliminated_columns, 2);
  // min over t of (t + y)^2 + (2 t)^2 = 4/5 y^2.
  EXPECT_EQ(summary.rank, 1);
  EXPECT_NEAR(std::abs(PriorOf(problem, summary).A()(0, 0)), std::sqrt(0.8),
              1e-14);
}

TEST(MarginalizeTest, AnExistingPointIsThatOfThePrior) {
  LinearProblem p;
  const Vector point = p.values[3] + Vector::Constant(3, 0.25);
  p.problem.SetLinearizationPoint(p.blocks[3], point.data());
  const Marginal expected = DenseMarginal(&p);
  MarginalizationSummary summary;
  ASSERT_TRUE(Marginalize({}, p.Removed(), &p.problem, &summary));
  EXPECT_EQ(PriorOf(p.problem, summary).blocks()[0].point, point);
  const Marginal marginal = MarginalAfterwards(&p);
  EXPECT_LT((marginal.mean - expected.mean).norm(),
            1e-12 * expected.mean.norm());
}

// The bits of a prior of many residual blocks.
std::string PriorOfManyThreads(int num_threads) {
  std::mt19937 random(7);
  std::vector<std::array<double, 3>> poses(20), points(300);
  for (auto& pose : poses) pose = {0.1, -0.2, 0.3};
  for (auto& point : points) {
    for (double& x : point) x = random() / 4294967296.0;
  }
  Problem problem;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int k = 0; k < 8; ++k) {
      problem.AddResidualBlock(
          new LinearCost(
              {RandomMatrix(2, 3, &random), RandomMatrix(2, 3, &random)},
              RandomVector(2, &random)),
          new HuberLoss(1.0), poses[(i + k) % 20].data(), points[i].data());
    }
  }
  std::vector<double*> removed = {poses[0].data()};
  for (std::size_t i = 0; i < points.size(); i += 2) {
    removed.push_back(points[i].data());
  }
  MarginalizationOptions options;
  options.num_threads = num_threads;
  MarginalizationSummary summary;
  EXPECT_TRUE(Marginalize(options, removed, &problem, &summary));
  return PriorOf(problem, summary).ToBinary();
}

TEST(MarginalizeTest, BitsDoNotDependOnTheNumberOfThreads) {
  const std::string serial = PriorOfManyThreads(1);
  for (const int num_threads : {2, 3, 4, 8}) {
    EXPECT_EQ(PriorOfManyThreads(num_threads), serial) << num_threads;
  }
}

TEST(MarginalizeDeathTest, ChecksItsArguments) {
  LinearProblem p;
  MarginalizationSummary summary;
  EXPECT_DEATH(
      Marginalize({}, {p.blocks[0], p.blocks[0]}, &p.problem, &summary),
      "twice");
  double other = 0.0;
  EXPECT_DEATH(Marginalize({}, {&other}, &p.problem, &summary),
               "no parameter block");
  EXPECT_DEATH(Marginalize({}, {p.blocks[0]}, &p.problem, nullptr),
               "needs a summary");
}

}  // namespace
}  // namespace ceres
