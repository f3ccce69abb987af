// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/covariance/captured_log.h"
#include "ceres/crs_matrix.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/log_sink.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using internal::CapturedLog;
using internal::FunctionCost;
using internal::SineCost;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Pairs = std::vector<std::pair<const double*, const double*>>;

Eigen::MatrixXd ToDense(const CRSMatrix& crs) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(crs.num_rows, crs.num_cols);
  for (int row = 0; row < crs.num_rows; ++row) {
    for (int k = crs.rows[row]; k < crs.rows[row + 1]; ++k) {
      dense(row, crs.cols[k]) = crs.values[k];
    }
  }
  return dense;
}

// r = A x, for an A of one row block per parameter block.
CostFunction* LinearCost(const RowMajor& a) {
  return new FunctionCost(
      static_cast<int>(a.rows()), {static_cast<int>(a.cols())},
      [a](double const* const* parameters, double* residuals,
          double** jacobians) {
        Eigen::Map<Eigen::VectorXd>(residuals, a.rows()) =
            a * Eigen::Map<const Eigen::VectorXd>(parameters[0], a.cols());
        if (jacobians != nullptr && jacobians[0] != nullptr) {
          Eigen::Map<RowMajor>(jacobians[0], a.rows(), a.cols()) = a;
        }
        return true;
      });
}

// Blocks x (2), y (3), z (1), quaternion q (4, tangent 3), constant c (2), and
// w (3) with its middle coordinate fixed, coupled by random cost functions.
class CovarianceTest : public testing::Test {
 protected:
  CovarianceTest() {
    int seed = 0;
    LossFunction* loss = nullptr;
    const auto add = [&](std::vector<double*> blocks) {
      std::vector<int> sizes;
      for (double* block : blocks) sizes.push_back(size_of_[block]);
      problem_.AddResidualBlock(new SineCost(3, sizes, ++seed), loss, blocks);
    };
    for (int repetition = 0; repetition < 3; ++repetition) {
      loss = repetition == 1 ? new HuberLoss(0.3) : nullptr;
      add({x_, y_});
      add({y_, z_, c_});
      add({q_, x_});
      add({w_, q_});
      add({w_});
      add({c_, z_});
    }
    problem_.SetManifold(q_, new QuaternionManifold);
    problem_.SetManifold(w_, new SubsetManifold(3, {1}));
    problem_.SetParameterBlockConstant(c_);
  }

  std::vector<const double*> All() const { return {x_, y_, z_, q_, c_, w_}; }

  // (J'J)^-1 of all varying coordinates, zeros for the constant block, in the
  // order of All(): by a dense inverse of what Problem::Evaluate gives.
  Eigen::MatrixXd Expected(bool apply_loss_function) {
    Problem::EvaluateOptions options;
    options.apply_loss_function = apply_loss_function;
    options.parameter_blocks = {x_, y_, z_, q_, w_};
    CRSMatrix crs;
    EXPECT_TRUE(problem_.Evaluate(options, nullptr, nullptr, nullptr, &crs));
    const Eigen::MatrixXd j = ToDense(crs);
    const Eigen::MatrixXd inverse = internal::DenseInverse(j.transpose() * j);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(13, 13);
    const std::vector<int> place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12};
    for (int i = 0; i < 11; ++i) {
      for (int k = 0; k < 11; ++k) {
        expected(place[i], place[k]) = inverse(i, k);
      }
    }
    return expected;
  }

  // 15 x 13: the PlusJacobians of All().
  Eigen::MatrixXd PlusJacobians() const {
    Eigen::MatrixXd p = Eigen::MatrixXd::Zero(15 + 0, 13);
    p.topLeftCorner(6, 6).setIdentity();
    RowMajor of_q(4, 3);
    EXPECT_TRUE(QuaternionManifold().PlusJacobian(q_, of_q.data()));
    p.block(6, 6, 4, 3) = of_q;
    p.block(10, 9, 2, 2).setIdentity();
    p(12, 11) = 1.0;
    p(14, 12) = 1.0;
    return p;
  }

  double x_[2] = {0.3, -0.2};
  double y_[3] = {0.1, 0.5, -0.4};
  double z_[1] = {0.7};
  double q_[4] = {0.5, -0.5, 0.5, 0.5};
  double c_[2] = {0.2, 0.1};
  double w_[3] = {-0.6, 0.3, 0.2};
  double stranger_[2] = {0.0, 0.0};
  std::map<const double*, int> size_of_ = {{x_, 2}, {y_, 3}, {z_, 1},
                                           {q_, 4}, {c_, 2}, {w_, 3}};
  Problem problem_;
};

std::vector<Covariance::Options> EveryAlgorithm() {
  std::vector<Covariance::Options> all(1);
  all.back().algorithm_type = DENSE_SVD;
  for (const auto library : {SUITE_SPARSE, EIGEN_SPARSE, NATIVE_SPARSE}) {
    if (!IsSparseLinearAlgebraLibraryTypeAvailable(library)) continue;
    all.emplace_back();
    all.back().sparse_linear_algebra_library_type = library;
  }
  all.emplace_back();
  all.back().algorithm_type = SPARSE_CHOLESKY;
  return all;
}

TEST_F(CovarianceTest, IsTheInverseOfTheNormalMatrix) {
  for (Covariance::Options options : EveryAlgorithm()) {
    for (const bool apply_loss_function : {true, false}) {
      options.apply_loss_function = apply_loss_function;
      Covariance covariance(options);
      ASSERT_TRUE(covariance.Compute(All(), &problem_));
      const Eigen::MatrixXd expected = Expected(apply_loss_function);
      RowMajor tangent(13, 13);
      ASSERT_TRUE(
          covariance.GetCovarianceMatrixInTangentSpace(All(), tangent.data()));
      EXPECT_LT((tangent - expected).norm(), 1e-9 * expected.norm());

      const Eigen::MatrixXd p = PlusJacobians();
      const Eigen::MatrixXd expected_ambient = p * expected * p.transpose();
      RowMajor ambient(15, 15);
      ASSERT_TRUE(covariance.GetCovarianceMatrix(All(), ambient.data()));
      EXPECT_LT((ambient - expected_ambient).norm(),
                1e-9 * expected_ambient.norm());
    }
  }
  EXPECT_GT((Expected(true) - Expected(false)).norm(),
            1e-3 * Expected(true).norm());
}

TEST_F(CovarianceTest, BlocksServeBothOrdersAndAreThoseOfTheMatrix) {
  for (const Covariance::Options& options : EveryAlgorithm()) {
    Covariance covariance(options);
    ASSERT_TRUE(
        covariance.Compute(Pairs{{q_, x_}, {w_, w_}, {c_, y_}}, &problem_));
    const Eigen::MatrixXd tangent = Expected(true);
    const Eigen::MatrixXd p = PlusJacobians();
    const Eigen::MatrixXd ambient = p * tangent * p.transpose();
    const double tolerance = 1e-9 * ambient.norm();
    RowMajor qx(4, 2), xq(2, 4), qx_tangent(3, 2), ww(3, 3), cy(2, 3);
    ASSERT_TRUE(covariance.GetCovarianceBlock(q_, x_, qx.data()));
    ASSERT_TRUE(covariance.GetCovarianceBlock(x_, q_, xq.data()));
    ASSERT_TRUE(covariance.GetCovarianceBlock(w_, w_, ww.data()));
    ASSERT_TRUE(
        covariance.GetCovarianceBlockInTangentSpace(q_, x_, qx_tangent.data()));
    cy.setConstant(7.0);
    ASSERT_TRUE(covariance.GetCovarianceBlock(c_, y_, cy.data()));
    EXPECT_LT((qx - ambient.block(6, 0, 4, 2)).norm(), tolerance);
    EXPECT_LT((xq - ambient.block(0, 6, 2, 4)).norm(), tolerance);
    EXPECT_LT((ww - ambient.block(12, 12, 3, 3)).norm(), tolerance);
    EXPECT_LT((qx_tangent - tangent.block(6, 0, 3, 2)).norm(), tolerance);
    EXPECT_EQ(cy.norm(), 0.0);
    EXPECT_EQ(ww.row(1).norm(), 0.0);  // The coordinate that is fixed.
  }
}

TEST_F(CovarianceTest, PairsThatWereNotAskedForAreRefused) {
  Covariance covariance{Covariance::Options()};
  ASSERT_TRUE(covariance.Compute(Pairs{{x_, x_}, {x_, y_}}, &problem_));
  double values[225] = {7.0};
  EXPECT_FALSE(covariance.GetCovarianceBlock(y_, y_, values));
  EXPECT_FALSE(covariance.GetCovarianceBlockInTangentSpace(x_, z_, values));
  EXPECT_FALSE(covariance.GetCovarianceMatrix({x_, y_}, values));
  EXPECT_FALSE(covariance.GetCovarianceMatrixInTangentSpace({x_, z_}, values));
  EXPECT_EQ(values[0], 7.0);
  EXPECT_TRUE(covariance.GetCovarianceMatrix({x_}, values));
}

TEST_F(CovarianceTest, AskingForTheSamePairInBothOrdersIsNoDuplicate) {
  Covariance covariance{Covariance::Options()};
  EXPECT_TRUE(covariance.Compute(Pairs{{x_, y_}, {y_, x_}}, &problem_));
}

TEST_F(CovarianceTest, DiesOfMistakesOfTheCaller) {
  Covariance covariance{Covariance::Options()};
  double values[16];
  EXPECT_DEATH(covariance.GetCovarianceBlock(x_, x_, values),
               "was not called, or failed");
  EXPECT_DEATH(covariance.Compute(Pairs{{x_, y_}, {x_, y_}}, &problem_),
               "twice");
  EXPECT_DEATH(
      covariance.Compute(std::vector<const double*>{x_, y_, x_}, &problem_),
      "twice");
  EXPECT_DEATH(covariance.Compute(Pairs{{x_, stranger_}}, &problem_),
               "not part of the problem");
  ASSERT_TRUE(covariance.Compute(Pairs{{x_, x_}}, &problem_));
  EXPECT_DEATH(covariance.GetCovarianceBlock(x_, stranger_, values),
               "not part of the problem");
}

TEST_F(CovarianceTest, AFailedComputeForgetsWhatTheLastOneFound) {
  Covariance covariance{Covariance::Options()};
  ASSERT_TRUE(covariance.Compute(Pairs{{x_, x_}}, &problem_));
  // A residual that does not depend on its block.
  problem_.AddResidualBlock(LinearCost(RowMajor{{0.0, 0.0}}), nullptr,
                            stranger_);
  EXPECT_FALSE(covariance.Compute(Pairs{{x_, x_}}, &problem_));
  double values[4];
  EXPECT_DEATH(covariance.GetCovarianceBlock(x_, x_, values), "failed");
  problem_.SetParameterBlockConstant(stranger_);
  EXPECT_TRUE(covariance.Compute(Pairs{{x_, stranger_}, {x_, x_}}, &problem_));
  EXPECT_TRUE(covariance.GetCovarianceBlock(x_, stranger_, values));
  EXPECT_EQ(values[0], 0.0);
}

// A problem with the variance 0.1 of x, and with blocks that get no column.
class BlocksWithoutColumnTest
    : public testing::TestWithParam<CovarianceAlgorithmType> {
 protected:
  BlocksWithoutColumnTest() {
    problem_.AddResidualBlock(LinearCost(RowMajor{{1.0}, {3.0}}), nullptr, &x_);
    options_.algorithm_type = GetParam();
  }

  std::vector<double> Covariances(const double* a, const double* b, int size) {
    Covariance covariance(options_);
    std::vector<double> values(size, -1.0);
    EXPECT_TRUE(covariance.Compute(Pairs{{&x_, &x_}, {a, b}}, &problem_));
    double variance = 0.0;
    EXPECT_TRUE(covariance.GetCovarianceBlock(&x_, &x_, &variance));
    EXPECT_NEAR(variance, 0.1, 1e-14);
    EXPECT_TRUE(covariance.GetCovarianceBlock(a, b, values.data()));
    return values;
  }

  Covariance::Options options_;
  double x_ = 1.0;
  double unused_[3] = {1.0, 2.0, 3.0};
  double q_[4] = {1.0, 0.0, 0.0, 0.0};
  double pinned_[2] = {5.0, 6.0};
  Problem problem_;
};

TEST_P(BlocksWithoutColumnTest, BlocksWithoutResidualsHaveNoCovariance) {
  problem_.AddParameterBlock(unused_, 3);
  problem_.AddParameterBlock(q_, 4, new QuaternionManifold);
  EXPECT_EQ(Covariances(unused_, unused_, 9), std::vector<double>(9, 0.0));
  EXPECT_EQ(Covariances(&x_, unused_, 3), std::vector<double>(3, 0.0));
  EXPECT_EQ(Covariances(unused_, q_, 12), std::vector<double>(12, 0.0));
}

TEST_P(BlocksWithoutColumnTest, RemovedResidualsLeaveSuchABlock) {
  ResidualBlockId id = problem_.AddResidualBlock(
      LinearCost(RowMajor{{1.0, 2.0}}), nullptr, pinned_);
  problem_.RemoveResidualBlock(id);
  EXPECT_EQ(Covariances(pinned_, pinned_, 4), std::vector<double>(4, 0.0));
}

TEST_P(BlocksWithoutColumnTest, EqualBoundsHoldABlock) {
  problem_.AddResidualBlock(LinearCost(RowMajor{{1.0, 2.0}}), nullptr, pinned_);
  for (int i = 0; i < 2; ++i) {
    problem_.SetParameterLowerBound(pinned_, i, pinned_[i]);
    problem_.SetParameterUpperBound(pinned_, i, pinned_[i]);
  }
  EXPECT_EQ(Covariances(pinned_, pinned_, 4), std::vector<double>(4, 0.0));
}

TEST_P(BlocksWithoutColumnTest, EqualBoundsHoldACoordinate) {
  problem_.AddResidualBlock(LinearCost(RowMajor{{1.0, 2.0}}), nullptr, pinned_);
  problem_.SetParameterLowerBound(pinned_, 0, pinned_[0]);
  problem_.SetParameterUpperBound(pinned_, 0, pinned_[0]);
  const std::vector<double> values = Covariances(pinned_, pinned_, 4);
  EXPECT_EQ(values[0], 0.0);
  EXPECT_EQ(values[1], 0.0);
  EXPECT_NEAR(values[3], 0.25, 1e-14);
  // The tangent space of the problem still has both coordinates.
  Covariance covariance(options_);
  ASSERT_TRUE(covariance.Compute(Pairs{{pinned_, pinned_}}, &problem_));
  double tangent[4] = {-1.0, -1.0, -1.0, -1.0};
  EXPECT_TRUE(
      covariance.GetCovarianceBlockInTangentSpace(pinned_, pinned_, tangent));
  EXPECT_EQ(std::vector<double>(tangent, tangent + 4), values);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, BlocksWithoutColumnTest,
                         testing::Values(SPARSE_QR, SPARSE_CHOLESKY,
                                         DENSE_SVD));

TEST_F(CovarianceTest, OutlivesTheProblemAndTheValues) {
  Covariance covariance{Covariance::Options()};
  ASSERT_TRUE(covariance.Compute(All(), &problem_));
  RowMajor before(15, 15), after(15, 15);
  ASSERT_TRUE(covariance.GetCovarianceMatrix(All(), before.data()));
  q_[0] = q_[1] = q_[2] = 0.0;
  q_[3] = 1.0;
  problem_ = Problem();
  ASSERT_TRUE(covariance.GetCovarianceMatrix(All(), after.data()));
  EXPECT_EQ(before, after);
}

TEST_F(CovarianceTest, RefusesOptionsOutOfRange) {
  Covariance::Options options;
  for (const auto library : {NO_SPARSE, ACCELERATE_SPARSE, CUDA_SPARSE}) {
    options.sparse_linear_algebra_library_type = library;
    EXPECT_FALSE(Covariance(options).Compute(All(), &problem_));
  }
  options.algorithm_type = DENSE_SVD;  // Which uses none.
  EXPECT_TRUE(Covariance(options).Compute(All(), &problem_));
  options.num_threads = 0;
  EXPECT_FALSE(Covariance(options).Compute(All(), &problem_));
}

TEST_F(CovarianceTest, FailsWhenTheResidualsCannotBeEvaluated) {
  problem_.AddResidualBlock(
      new FunctionCost(1, {2}, [](auto, auto, auto) { return false; }), nullptr,
      x_);
  for (const Covariance::Options& options : EveryAlgorithm()) {
    EXPECT_FALSE(Covariance(options).Compute(All(), &problem_));
  }
}

TEST_F(CovarianceTest, ExceptionsOfUserCodeReachTheCaller) {
  problem_.AddResidualBlock(
      new FunctionCost(1, {2},
                       [](auto, auto, auto) -> bool {
                         throw std::range_error("of the user");
                       }),
      nullptr, x_);
  Covariance covariance{Covariance::Options()};
  EXPECT_THROW(covariance.Compute(All(), &problem_), std::range_error);
  double values[4];
  EXPECT_DEATH(covariance.GetCovarianceBlock(x_, x_, values), "failed");
}

TEST_F(CovarianceTest, NothingButConstantBlocksNeedsNoRank) {
  problem_.AddParameterBlock(stranger_, 2);  // Undetermined.
  Covariance covariance{Covariance::Options()};
  ASSERT_TRUE(covariance.Compute(Pairs{{c_, c_}, {c_, x_}}, &problem_));
  RowMajor cx = RowMajor::Constant(2, 2, 7.0);
  ASSERT_TRUE(covariance.GetCovarianceBlock(c_, x_, cx.data()));
  EXPECT_EQ(cx.norm(), 0.0);
}

// J = diag of chosen singular values, turned.
class RankTest : public testing::Test {
 protected:
  void AddBlock(const std::vector<double>& singular_values) {
    const int n = static_cast<int>(singular_values.size());
    const Eigen::MatrixXd u = Orthogonal(n + 2, 0.3);
    v_ = Orthogonal(n, 1.1);
    s_ = Eigen::Map<const Eigen::VectorXd>(singular_values.data(), n);
    x_.assign(n, 0.5);
    problem_.AddResidualBlock(
        LinearCost(u.leftCols(n) * s_.asDiagonal() * v_.transpose()), nullptr,
        x_.data());
  }

  // An orthogonal matrix.
  static Eigen::MatrixXd Orthogonal(int n, double phase) {
    Eigen::MatrixXd m(n, n);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) {
        m(i, k) = std::sin(phase + 1.7 * i * i + 0.9 * k + i * k);
      }
    }
    return internal::OrthogonalFactor(m);
  }

  // The sum of v_i v_i' / s_i^2 over the first `rank` directions.
  Eigen::MatrixXd Expected(int rank) const {
    return v_.leftCols(rank) *
           s_.head(rank).array().square().inverse().matrix().asDiagonal() *
           v_.leftCols(rank).transpose();
  }

  bool Compute(const Covariance::Options& options, RowMajor* matrix) {
    Covariance covariance(options);
    if (!covariance.Compute(Pairs{{x_.data(), x_.data()}}, &problem_)) {
      return false;
    }
    matrix->resize(x_.size(), x_.size());
    return covariance.GetCovarianceBlock(x_.data(), x_.data(), matrix->data());
  }

  bool ComputeBySvd(int null_space_rank, RowMajor* matrix) {
    Covariance::Options options;
    options.algorithm_type = DENSE_SVD;
    options.null_space_rank = null_space_rank;
    return Compute(options, matrix);
  }

  // With the same order of elimination. The second goes to matrix_; *options
  // are its options.
  void ComputeByQrAndCholesky(Covariance::Options* options, RowMajor* by_qr) {
    options->sparse_linear_algebra_library_type = NATIVE_SPARSE;
    options->algorithm_type = SPARSE_QR;
    ASSERT_TRUE(Compute(*options, by_qr));
    options->algorithm_type = SPARSE_CHOLESKY;
    ASSERT_TRUE(Compute(*options, &matrix_));
  }

  std::vector<double> x_;
  Eigen::VectorXd s_;
  Eigen::MatrixXd v_;
  Problem problem_;
  RowMajor matrix_;
};

TEST_F(RankTest, DenseSvdRefusesTooSmallSingularValues) {
  AddBlock({2.0, 1.0, 0.5, 1e-9});  // The bound is 2e-7.
  EXPECT_FALSE(ComputeBySvd(/*null_space_rank=*/0, &matrix_));
}

TEST_F(RankTest, DenseSvdTakesSingularValuesAboveTheBound) {
  AddBlock({2.0, 1.0, 0.5, 3e-7});
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/0, &matrix_));
  EXPECT_LT((matrix_ - Expected(4)).norm(), 1e-7 * Expected(4).norm());
}

TEST_F(RankTest, TheBoundIsOfTheSquares) {
  AddBlock({2.0, 1.0, 0.5, 0.19});
  Covariance::Options options;
  options.algorithm_type = DENSE_SVD;
  options.min_reciprocal_condition_number = 0.01;  // s >= 0.1 s_max
  EXPECT_FALSE(Compute(options, &matrix_));
  options.min_reciprocal_condition_number = 0.009;
  EXPECT_TRUE(Compute(options, &matrix_));
}

TEST_F(RankTest, NegativeNullSpaceRankDropsWhatIsTooSmall) {
  AddBlock({2.0, 1.0, 0.5, 1e-9, 0.0});
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/-1, &matrix_));
  EXPECT_LT((matrix_ - Expected(3)).norm(), 1e-12 * Expected(3).norm());
}

TEST_F(RankTest, NullSpaceRankDropsSoManyWhateverTheirSize) {
  AddBlock({2.0, 1.0, 0.5, 0.25});
  for (int dropped = 0; dropped <= 4; ++dropped) {
    ASSERT_TRUE(ComputeBySvd(dropped, &matrix_));
    const Eigen::MatrixXd expected = Expected(4 - dropped);
    EXPECT_LT((matrix_ - expected).norm(), 1e-12 * (1.0 + expected.norm()));
  }
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/9, &matrix_));
  EXPECT_EQ(matrix_.norm(), 0.0);
}

TEST_F(RankTest, NullSpaceRankMustCoverWhatIsTooSmall) {
  AddBlock({2.0, 1.0, 1e-9, 1e-10});
  EXPECT_FALSE(ComputeBySvd(/*null_space_rank=*/1, &matrix_));
  EXPECT_TRUE(ComputeBySvd(/*null_space_rank=*/2, &matrix_));
}

TEST_F(RankTest, SparseFactorizationsRefuseDependentColumns) {
  AddBlock({2.0, 1.0, 0.5, 0.0});
  Covariance::Options options;
  EXPECT_FALSE(Compute(options, &matrix_));
  options.algorithm_type = SPARSE_CHOLESKY;
  EXPECT_FALSE(Compute(options, &matrix_));
}

// Condition number 1e10: J'J is singular to working precision, J is not.
TEST_F(RankTest, SparseQrSeesRankThatTheNormalMatrixHasLost) {
  AddBlock({2.0, 1.0, 0.5, 2e-10});
  ASSERT_TRUE(Compute(Covariance::Options(), &matrix_));
  EXPECT_LT((matrix_ - Expected(4)).norm(), 1e-4 * Expected(4).norm());
}

// Whatever J'J has lost is found by QR: the bits are the same.
TEST_F(RankTest, SparseCholeskyGivesWayToSparseQr) {
  AddBlock({2.0, 1.0, 0.5, 2e-10});
  Covariance::Options options;
  RowMajor by_qr;
  ComputeByQrAndCholesky(&options, &by_qr);
  EXPECT_EQ(matrix_, by_qr);
}

TEST_F(RankTest, SparseCholeskyIsAsAccurateAsItsPivotsAllow) {
  AddBlock({2.0, 1.0, 0.5, 1e-3});
  Covariance::Options options;
  RowMajor by_qr;
  ComputeByQrAndCholesky(&options, &by_qr);
  EXPECT_NE(matrix_, by_qr);
  EXPECT_LT((matrix_ - Expected(4)).norm(), 1e-8 * Expected(4).norm());
  // With a greater bound the pivots, about 1e-6, are too small.
  options.min_reciprocal_condition_number = 1e-3;
  ASSERT_TRUE(Compute(options, &matrix_));
  EXPECT_EQ(matrix_, by_qr);
}

TEST_F(RankTest, ColumnPivotThresholdIsAbsolute) {
  AddBlock({2.0, 1.0, 0.5, 1e-3});
  Covariance::Options options;
  options.column_pivot_threshold = 1e-6;
  EXPECT_TRUE(Compute(options, &matrix_));
  options.column_pivot_threshold = 3.0;
  EXPECT_FALSE(Compute(options, &matrix_));
}

TEST_F(RankTest, FewerResidualsThanCoordinates) {
  x_ = {1.0, 2.0, 3.0};
  problem_.AddResidualBlock(LinearCost(RowMajor{{1.0, 2.0, 2.0}}), nullptr,
                            x_.data());
  EXPECT_FALSE(Compute(Covariance::Options(), &matrix_));
  for (const int null_space_rank : {-1, 0}) {
    ASSERT_TRUE(ComputeBySvd(null_space_rank, &matrix_));
    // a a' / |a|^4
    EXPECT_NEAR(matrix_(0, 1), 2.0 / 81.0, 1e-15);
  }
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/1, &matrix_));
  EXPECT_EQ(matrix_.norm(), 0.0);
}

// Each block has two coordinates. The residuals determine only their sum.
TEST_F(RankTest, FailureNamesTheDirections) {
  std::vector<std::vector<double>> x(8, {1.0, 2.0});
  Pairs pairs;
  for (std::vector<double>& block : x) {
    problem_.AddResidualBlock(LinearCost(RowMajor{{1.0, 1.0}, {2.0, 2.0}}),
                              nullptr, block.data());
    pairs.emplace_back(block.data(), block.data());
  }
  Covariance::Options options;
  for (const auto type : {SPARSE_QR, SPARSE_CHOLESKY, DENSE_SVD}) {
    options.algorithm_type = type;
    const CapturedLog log;
    EXPECT_FALSE(Covariance(options).Compute(pairs, &problem_));
    EXPECT_THAT(log.text(),
                AllOf(HasSubstr("ERROR: Covariance::Compute failed"),
                      HasSubstr("leave 8 directions undetermined. (1) "),
                      HasSubstr("(1) 2 coordinates of parameter block 0"),
                      HasSubstr("(7) 2 coordinates of parameter block 6"),
                      Not(HasSubstr("parameter block 7"))));
  }
  EXPECT_EQ(x[3], (std::vector<double>{1.0, 2.0}));
}

TEST_F(RankTest, DirectionsWithTheSameSentencesAreNamedOnce) {
  AddBlock({2.0, 1.0, 0.0, 0.0});
  const CapturedLog log;
  EXPECT_FALSE(Compute(Covariance::Options(), &matrix_));
  EXPECT_THAT(log.text(),
              AllOf(HasSubstr("leave 2 directions undetermined. (1) "),
                    HasSubstr("coordinates of parameter block 0"),
                    Not(HasSubstr("(2) "))));
}

TEST_F(RankTest, FailureNamesWhatDenseSvdCountsAsZero) {
  AddBlock({2.0, 1.0, 0.5, 6e-8});  // The bound is 2e-7.
  const CapturedLog log;
  EXPECT_FALSE(ComputeBySvd(/*null_space_rank=*/0, &matrix_));
  EXPECT_THAT(log.text(),
              HasSubstr("The residuals determine 1 direction weakly. (1) "));
}

TEST_F(RankTest, PseudoInverseNamesTheDirectionsThatItLeavesOut) {
  AddBlock({2.0, 1.0, 0.5, 0.0});
  const CapturedLog log;
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/-1, &matrix_));
  EXPECT_THAT(log.text(),
              AllOf(HasSubstr("WARNING: "), HasSubstr("leaves out 1 of 4"),
                    HasSubstr("leave 1 direction undetermined. (1) ")));
}

TEST_F(RankTest, NoMessageIfTheRankIsWhatTheOptionsSay) {
  const CapturedLog log;
  AddBlock({2.0, 1.0, 0.5, 0.0});
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/1, &matrix_));
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/2, &matrix_));
  EXPECT_EQ(log.text(), "");
}

TEST_F(RankTest, FullRankAndAThresholdOfTheUserNameNoDirection) {
  AddBlock({2.0, 1.0, 0.5, 1e-3});
  Covariance::Options options;
  options.column_pivot_threshold = 3.0;
  const CapturedLog log;
  EXPECT_FALSE(Compute(options, &matrix_));
  EXPECT_THAT(log.text(),
              AllOf(HasSubstr("failed"), Not(HasSubstr("undetermined"))));
}

TEST_F(RankTest, MessageDoesNotDependOnTheNumberOfThreads) {
  AddBlock({2.0, 1.0, 0.0, 0.0});
  std::string expected;
  Covariance::Options options;
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    options.num_threads = num_threads;
    const CapturedLog log;
    EXPECT_FALSE(Compute(options, &matrix_));
    if (expected.empty()) expected = log.text();
    EXPECT_EQ(log.text(), expected);
  }
}

TEST_F(RankTest, ExceptionsDuringTheDiagnosisDoNotReachTheCaller) {
  x_ = {1.0, 2.0};
  int num_calls = 0;
  problem_.AddResidualBlock(
      new FunctionCost(1, {2},
                       [&](auto* p, double* r, double** jacobians) {
                         if (++num_calls > 1) throw std::range_error("");
                         r[0] = p[0][0] + p[0][1];
                         if (jacobians != nullptr && jacobians[0] != nullptr) {
                           jacobians[0][0] = jacobians[0][1] = 1.0;
                         }
                         return true;
                       }),
      nullptr, x_.data());
  const CapturedLog log;
  EXPECT_FALSE(Compute(Covariance::Options(), &matrix_));
  EXPECT_EQ(num_calls, 2);
  EXPECT_THAT(log.text(),
              AllOf(HasSubstr("failed"), Not(HasSubstr("undetermined"))));
}

TEST_F(RankTest, RowsWithoutVaryingBlocksDoNotCount) {
  x_ = {1.0, 2.0, 3.0};
  double fixed = 1.0;
  problem_.AddResidualBlock(LinearCost(RowMajor{{1.0, 2.0, 2.0}}), nullptr,
                            x_.data());
  problem_.AddResidualBlock(LinearCost(RowMajor{{1.0}}), nullptr, &fixed);
  problem_.SetParameterBlockConstant(&fixed);
  ASSERT_TRUE(ComputeBySvd(/*null_space_rank=*/0, &matrix_));
  EXPECT_NEAR(matrix_(0, 1), 2.0 / 81.0, 1e-15);
}

}  // namespace
}  // namespace ceres
