// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/lbfgs.h"

#include <random>
#include <vector>

#include "Eigen/Core"
#include "ceres/minimizer/minimizer_tuning.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Scaling = InverseHessianScaling;

// The inverse update of BFGS as a dense formula: Nocedal and Wright, (6.17).
MatrixXd DenseUpdate(const MatrixXd& h, const VectorXd& s, const VectorXd& y) {
  const double rho = 1.0 / y.dot(s);
  const MatrixXd v =
      MatrixXd::Identity(s.size(), s.size()) - rho * y * s.transpose();
  return v.transpose() * h * v + rho * s * s.transpose();
}

VectorXd Product(const LowRankInverseHessian& h, const VectorXd& x,
                 const double* diagonal = nullptr) {
  VectorXd result(x.size());
  h.Multiply(x.data(), result.data(), diagonal);
  return result;
}

class LbfgsTest : public testing::Test {
 protected:
  static constexpr int kSize = 6;

  VectorXd Draw() {
    VectorXd x(kSize);
    for (double& value : x) value = normal_(random_);
    return x;
  }
  // Pairs of a convex quadratic.
  void AddPairs(int count) {
    MatrixXd root(kSize, kSize);
    for (int j = 0; j < kSize; ++j) root.col(j) = Draw();
    const MatrixXd hessian =
        root * root.transpose() + MatrixXd::Identity(kSize, kSize);
    for (int i = 0; i < count; ++i) {
      s_.push_back(Draw());
      y_.push_back(hessian * s_.back());
    }
  }

  std::mt19937 random_{3};
  std::normal_distribution<double> normal_;
  std::vector<VectorXd> s_;
  std::vector<VectorXd> y_;
};

TEST_F(LbfgsTest, IsTheIdentityBeforeTheFirstPair) {
  const LowRankInverseHessian h({}, kSize, 3, Scaling::kNewestPair);
  const VectorXd x = Draw();
  EXPECT_EQ(Product(h, x), x);
}

TEST_F(LbfgsTest, EqualsTheDenseUpdatesOfTheLastPairs) {
  constexpr int kRank = 3;
  AddPairs(7);
  LowRankInverseHessian h({}, kSize, kRank, Scaling::kFirstPair);
  for (size_t k = 0; k < s_.size(); ++k) {
    // The diagonal changes from point to point.
    const VectorXd diagonal = Draw().array().exp();
    ASSERT_TRUE(h.Update(s_[k].data(), y_[k].data(), diagonal.data()));
    const double inverse_curvature =
        s_[k].dot((s_[k].array() / diagonal.array()).matrix()) /
        s_[k].dot(y_[k]);
    MatrixXd dense = inverse_curvature * MatrixXd(diagonal.asDiagonal());
    for (size_t i = k + 1 < kRank ? 0 : k + 1 - kRank; i <= k; ++i) {
      dense = DenseUpdate(dense, s_[i], y_[i]);
    }
    const VectorXd x = Draw();
    EXPECT_LT((Product(h, x, diagonal.data()) - dense * x).norm(),
              1e-12 * (dense * x).norm());
  }
}

// s's / s'y is the inverse curvature along s.
TEST_F(LbfgsTest, FirstPairSetsTheScaleWithoutADiagonal) {
  AddPairs(3);
  LowRankInverseHessian h({}, kSize, 5, Scaling::kFirstPair);
  MatrixXd dense = kFirstInverseCurvature * s_[0].squaredNorm() /
                   s_[0].dot(y_[0]) * MatrixXd::Identity(kSize, kSize);
  for (int k = 0; k < 3; ++k) {
    h.Update(s_[k].data(), y_[k].data(), nullptr);
    dense = DenseUpdate(dense, s_[k], y_[k]);
  }
  const VectorXd x = Draw();
  EXPECT_LT((Product(h, x) - dense * x).norm(), 1e-12 * (dense * x).norm());
}

// In units in which the diagonal is the identity, y becomes D^(1/2) y.
TEST_F(LbfgsTest, NewestPairMultipliesTheDiagonal) {
  AddPairs(1);
  const VectorXd diagonal = Draw().array().exp();
  LowRankInverseHessian h({}, kSize, 5, Scaling::kNewestPair);
  h.Update(s_[0].data(), y_[0].data(), diagonal.data());
  const VectorXd scaled_y = diagonal.array().sqrt() * y_[0].array();
  MatrixXd dense = s_[0].dot(y_[0]) / scaled_y.squaredNorm() *
                   MatrixXd(diagonal.asDiagonal());
  dense = DenseUpdate(dense, s_[0], y_[0]);
  const VectorXd x = Draw();
  EXPECT_LT((Product(h, x, diagonal.data()) - dense * x).norm(),
            1e-12 * (dense * x).norm());
}

// With one unit a million million times another, no pair of vectors would have
// curvature in the Euclidean metric.
TEST_F(LbfgsTest, CurvatureIsMeasuredInTheMetricOfTheDiagonal) {
  const double unit[2] = {1e12, 1e-12};
  const double s[2] = {unit[0], unit[1]};
  const double y[2] = {1.0 / unit[0], 1.0 / unit[1]};
  const double diagonal[2] = {unit[0] * unit[0], unit[1] * unit[1]};
  EXPECT_FALSE(CurvaturePair({}, 2, s, y, nullptr).HasCurvature());
  EXPECT_TRUE(CurvaturePair({}, 2, s, y, diagonal).HasCurvature());
}

TEST_F(LbfgsTest, NewestPairSetsTheScale) {
  AddPairs(2);
  LowRankInverseHessian h({}, kSize, 5, Scaling::kNewestPair);
  for (int k = 0; k < 2; ++k) h.Update(s_[k].data(), y_[k].data(), nullptr);
  MatrixXd dense =
      s_[1].dot(y_[1]) / y_[1].squaredNorm() * MatrixXd::Identity(kSize, kSize);
  for (int k = 0; k < 2; ++k) dense = DenseUpdate(dense, s_[k], y_[k]);
  const VectorXd x = Draw();
  EXPECT_LT((Product(h, x) - dense * x).norm(), 1e-12 * (dense * x).norm());
}

TEST_F(LbfgsTest, SatisfiesTheSecantEquation) {
  AddPairs(4);
  LowRankInverseHessian h({}, kSize, 4, Scaling::kNewestPair);
  for (int k = 0; k < 4; ++k) h.Update(s_[k].data(), y_[k].data(), nullptr);
  EXPECT_LT((Product(h, y_[3]) - s_[3]).norm(), 1e-12 * s_[3].norm());
}

TEST_F(LbfgsTest, PairsWithoutCurvatureAreIgnored) {
  AddPairs(1);
  LowRankInverseHessian h({}, kSize, 4, Scaling::kNewestPair);
  h.Update(s_[0].data(), y_[0].data(), nullptr);
  const VectorXd x = Draw();
  const VectorXd before = Product(h, x);
  const VectorXd s = Draw();
  const VectorXd y = -s;
  EXPECT_FALSE(h.Update(s.data(), y.data(), nullptr));
  const VectorXd zero = VectorXd::Zero(kSize);
  EXPECT_FALSE(h.Update(zero.data(), s.data(), nullptr));
  EXPECT_EQ(Product(h, x), before);
}

}  // namespace
}  // namespace ceres::internal
