// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/loss_correction.h"

#include <cmath>

#include "Eigen/Core"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 2, Eigen::RowMajor>;

struct Corrected {
  Eigen::Vector3d r;
  RowMajor jacobian;
};

const Eigen::Vector3d kResidual(0.4, -1.1, 0.7);
const RowMajor kJacobian =
    (RowMajor() << 1.0, -0.3, 0.2, 2.0, -0.8, 0.5).finished();

Corrected Correct(const Eigen::Vector3d& r, double rho1, double rho2) {
  const double rho[3] = {0.0, rho1, rho2};
  Corrected result{r, kJacobian};
  const LossCorrection correction(r.squaredNorm(), rho);
  correction.CorrectJacobian(3, 2, r.data(), result.jacobian.data());
  correction.CorrectResiduals(3, result.r.data());
  return result;
}

void ExpectGradient(const Corrected& corrected, const Eigen::Vector3d& r,
                    double rho1) {
  const Eigen::Vector2d gradient = corrected.jacobian.transpose() * corrected.r;
  const Eigen::Vector2d expected = rho1 * kJacobian.transpose() * r;
  EXPECT_NEAR((gradient - expected).norm(), 0.0, 1e-14);
}

TEST(LossCorrection, ChangesNothingWithoutLoss) {
  const Corrected c = Correct(kResidual, 1.0, 0.0);
  EXPECT_EQ(c.r, kResidual);
  EXPECT_EQ(c.jacobian, kJacobian);
}

TEST(LossCorrection, KnowsWhenItChangesNothing) {
  const double s = 2.0;
  const double inlier[] = {s, 1.0, 0.0};
  EXPECT_TRUE(LossCorrection(s, inlier).is_identity());
  const double curved_down[] = {s, 1.0, -0.1};
  EXPECT_TRUE(LossCorrection(s, curved_down).is_identity());
  const double curved_up[] = {s, 1.0, 0.1};
  EXPECT_FALSE(LossCorrection(s, curved_up).is_identity());
  EXPECT_TRUE(LossCorrection(0.0, curved_up).is_identity());
  const double outlier[] = {s, 0.5, 0.0};
  EXPECT_FALSE(LossCorrection(s, outlier).is_identity());
}

TEST(LossCorrection, ScalesBothByTheRootOfTheWeight) {
  const Corrected c = Correct(kResidual, 0.25, 0.0);
  EXPECT_NEAR((c.r - 0.5 * kResidual).norm(), 0.0, 1e-15);
  EXPECT_NEAR((c.jacobian - 0.5 * kJacobian).norm(), 0.0, 1e-15);
}

TEST(LossCorrection, DropsNegativeCurvature) {
  const Corrected c = Correct(kResidual, 0.25, -0.1);
  EXPECT_NEAR((c.jacobian - 0.5 * kJacobian).norm(), 0.0, 1e-15);
  ExpectGradient(c, kResidual, 0.25);
}

// The Gauss-Newton Hessian of the robust cost is
// rho' J'J + 2 rho'' J'r r'J (Triggs et al., equation 11).
TEST(LossCorrection, KeepsPositiveCurvature) {
  const double rho1 = 0.8;
  const double rho2 = 0.3;
  const Corrected c = Correct(kResidual, rho1, rho2);
  ExpectGradient(c, kResidual, rho1);
  const Eigen::Vector2d g = kJacobian.transpose() * kResidual;
  const Eigen::Matrix2d expected =
      rho1 * kJacobian.transpose() * kJacobian + 2.0 * rho2 * g * g.transpose();
  const Eigen::Matrix2d hessian = c.jacobian.transpose() * c.jacobian;
  EXPECT_NEAR((hessian - expected).norm(), 0.0, 1e-13);
}

TEST(LossCorrection, IsFiniteAtZeroResidualAndZeroWeight) {
  const Corrected at_zero = Correct(Eigen::Vector3d::Zero(), 4.0, 5.0);
  EXPECT_EQ(at_zero.r, Eigen::Vector3d::Zero());
  EXPECT_NEAR((at_zero.jacobian - 2.0 * kJacobian).norm(), 0.0, 1e-15);
  for (const double rho2 : {0.0, 0.5}) {
    const Corrected rejected = Correct(kResidual, 0.0, rho2);
    EXPECT_EQ(rejected.r.norm(), 0.0);
    EXPECT_EQ(rejected.jacobian.norm(), 0.0);
  }
}

}  // namespace
}  // namespace ceres::internal
