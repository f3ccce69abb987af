// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/dogleg.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "Eigen/Core"
#include "ceres/linear/dense_qr_solver.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/minimizer/local_collective.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A random linear model without Jacobi scaling, and its dense twin.
class DoglegTest : public testing::TestWithParam<DoglegType> {
 protected:
  void MakeModel(int seed, bool zero_column = false) {
    RandomJacobianOptions random;
    random.seed = seed;
    random.num_column_blocks = 4;
    problem_ = MakeRandomJacobian(random);
    if (zero_column) ClearFirstColumn();
    dense_ = DenseJacobian(problem_->jacobian);
    residuals_ = DenseResiduals(problem_->jacobian);
    gradient_ = dense_.transpose() * residuals_;
    squared_norms_ = dense_.colwise().squaredNorm().transpose();
    ones_ = VectorXd::Ones(num_columns());
    diagonal_ = squared_norms_.cwiseMax(1e-6).cwiseSqrt();
    linear_solver_ = CreateDenseQrSolver(EIGEN, {}, problem_->structure);
  }

  void ClearFirstColumn() {
    const BlockJacobianStructure& s = problem_->structure;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        if (s.cell_column[c] != 0) continue;
        double* cell = problem_->jacobian.row_block(row) + s.cell_position[c];
        for (int i = 0; i < s.row_size(row); ++i) {
          cell[i * s.column_size(0)] = 0.0;
        }
      }
    }
  }

  int num_columns() const { return problem_->structure.num_columns(); }

  Dogleg MakeDogleg(double radius, DoglegType type = GetParam()) {
    MinimizerOptions& options = options_.emplace_back();
    options.dogleg_type = type;
    options.initial_trust_region_radius = radius;
    return Dogleg(options, num_columns());
  }

  VectorXd Step(Dogleg* dogleg, int* num_solves = nullptr) {
    VectorXd step(num_columns());
    const MinimizerSetup setup;
    LocalCollective collective(setup, /*program=*/nullptr,
                               /*evaluator=*/nullptr, &problem_->jacobian);
    const TrustRegionStep result = dogleg->ComputeStep(
        {problem_->jacobian, nullptr, gradient_.data(), squared_norms_.data(),
         ones_.data(), Execution(), linear_solver_.get(),
         /*active_set=*/nullptr, &collective},
        {}, step.data());
    EXPECT_EQ(result.linear.termination, LinearSolverTermination::kSuccess);
    EXPECT_NEAR(result.linear.model_cost_change, Decrease(step),
                1e-9 * Decrease(step) + 1e-13);
    if (num_solves != nullptr) *num_solves = result.num_linear_solves;
    return step;
  }

  double Decrease(const VectorXd& step) const {
    return 0.5 * residuals_.squaredNorm() -
           0.5 * (residuals_ + dense_ * step).squaredNorm();
  }
  double Length(const VectorXd& step) const {
    return diagonal_.cwiseProduct(step).norm();
  }
  VectorXd GaussNewton() const {
    return -DenseLeastSquares(dense_, residuals_);
  }
  // -t D^-2 gradient, the t that minimizes the model.
  VectorXd Cauchy() const {
    const VectorXd direction =
        gradient_.cwiseQuotient(diagonal_.cwiseProduct(diagonal_));
    const double t =
        gradient_.dot(direction) / (dense_ * direction).squaredNorm();
    return -t * direction;
  }

  std::deque<MinimizerOptions> options_;  // of all strategies
  std::unique_ptr<RandomJacobian> problem_;
  std::unique_ptr<LinearSolver> linear_solver_;
  MatrixXd dense_;
  VectorXd residuals_;
  VectorXd gradient_;
  VectorXd squared_norms_;
  VectorXd ones_;
  VectorXd diagonal_;
};

TEST_P(DoglegTest, LargeRegionsGiveTheGaussNewtonStep) {
  MakeModel(1);
  Dogleg dogleg = MakeDogleg(1e4);
  const VectorXd expected = GaussNewton();
  EXPECT_LT((Step(&dogleg) - expected).norm(), 1e-6 * expected.norm());
}

TEST_P(DoglegTest, TinyRegionsGiveTheSteepestDescentOfTheScaledProblem) {
  MakeModel(2);
  Dogleg dogleg = MakeDogleg(1e-6);
  const VectorXd expected = Cauchy() * (1e-6 / Length(Cauchy()));
  EXPECT_LT((Step(&dogleg) - expected).norm(), 1e-4 * expected.norm());
}

TEST_P(DoglegTest, StepsReachTheRimAndBeatTheCauchyPoint) {
  for (int seed = 1; seed <= 20; ++seed) {
    MakeModel(seed);
    const double gauss_newton_length = Length(GaussNewton());
    double previous = 0.0;
    for (const double part : {0.01, 0.1, 0.3, 0.5, 0.7, 0.9}) {
      const double radius = part * gauss_newton_length;
      Dogleg dogleg = MakeDogleg(radius);
      const VectorXd step = Step(&dogleg);
      EXPECT_NEAR(Length(step), radius, 1e-9 * radius);
      const VectorXd cauchy =
          Cauchy() * std::min(1.0, radius / Length(Cauchy()));
      EXPECT_GE(Decrease(step), Decrease(cauchy) * (1.0 - 1e-12));
      EXPECT_GT(Decrease(step), previous) << "more room, more decrease";
      previous = Decrease(step);
    }
  }
}

TEST_P(DoglegTest, RejectedStepsCostNoFactorization) {
  MakeModel(3);
  Dogleg dogleg = MakeDogleg(10.0 * Length(GaussNewton()));
  int num_solves = 0;
  Step(&dogleg, &num_solves);
  EXPECT_EQ(num_solves, 1);
  for (int i = 0; i < 6; ++i) {
    dogleg.Reject();
    const VectorXd step = Step(&dogleg, &num_solves);
    EXPECT_EQ(num_solves, 0);
    Dogleg fresh = MakeDogleg(dogleg.radius());
    EXPECT_EQ(step, Step(&fresh)) << "the same as computed anew";
  }
  dogleg.Accept(0.5);
  Step(&dogleg, &num_solves);
  EXPECT_EQ(num_solves, 1);
  dogleg.Invalidate();
  Step(&dogleg, &num_solves);
  EXPECT_EQ(num_solves, 1);
}

TEST_P(DoglegTest, QualityMovesTheRadius) {
  MakeModel(4);
  const double length = Length(GaussNewton());
  Dogleg dogleg = MakeDogleg(0.5 * length);
  Step(&dogleg);
  dogleg.Accept(0.5);
  EXPECT_DOUBLE_EQ(dogleg.radius(), 0.5 * length);
  Step(&dogleg);
  dogleg.Accept(0.9);
  EXPECT_NEAR(dogleg.radius(), 1.5 * length, 1e-9) << "three steps wide";
  dogleg.Accept(0.1);
  EXPECT_NEAR(dogleg.radius(), 0.75 * length, 1e-9);
  dogleg.Reject();
  EXPECT_NEAR(dogleg.radius(), 0.375 * length, 1e-9);
  dogleg.Invalidate();
  EXPECT_NEAR(dogleg.radius(), 0.1875 * length, 1e-9);
}

// A Gauss-Newton step that is inside leaves a wide region wide.
TEST_P(DoglegTest, ShortGoodStepsDoNotShrinkTheRegion) {
  MakeModel(5);
  Dogleg dogleg = MakeDogleg(1e4);
  Step(&dogleg);
  dogleg.Accept(1.0);
  EXPECT_EQ(dogleg.radius(), 1e4);
}

TEST_P(DoglegTest, ColumnOfZerosDoesNotMove) {
  MakeModel(6, /*zero_column=*/true);
  for (const double radius : {1e4, 0.1}) {
    Dogleg dogleg = MakeDogleg(radius);
    const VectorXd step = Step(&dogleg);
    EXPECT_EQ(step[0], 0.0);
    EXPECT_GT(Decrease(step), 0.0);
  }
}

// The plane contains the dogleg path.
TEST_P(DoglegTest, SubspaceDoglegDecreasesTheModelAtLeastAsMuch) {
  for (int seed = 1; seed <= 20; ++seed) {
    MakeModel(seed);
    for (const double radius : {0.1, 0.5, 1.0}) {
      Dogleg subspace = MakeDogleg(radius, SUBSPACE_DOGLEG);
      Dogleg dogleg = MakeDogleg(radius);
      EXPECT_GE(Decrease(Step(&subspace)),
                Decrease(Step(&dogleg)) * (1.0 - 1e-12));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, DoglegTest,
                         testing::Values(TRADITIONAL_DOGLEG, SUBSPACE_DOGLEG),
                         [](const auto& info) {
                           return std::string(DoglegTypeToString(info.param));
                         });

}  // namespace
}  // namespace ceres::internal
