// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/factors/relative_factors.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/modelling/factors/factor_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::factors {
namespace {

// Tangents of a group: the first entries of seven numbers.
template <typename Group>
std::vector<double> At(std::vector<double> tangent) {
  tangent.resize(Group::kTangentSize);
  return Element<Group>(tangent);
}

const std::vector<double> kA = {0.3, -0.8, 0.5, 1.2, -2.1, 0.4, 0.2};
const std::vector<double> kB = {-1.1, 0.2, 1.9, -0.3, 0.8, 1.5, -0.4};
const std::vector<double> kMeasured = {-0.9, 0.4, 0.7, 0.5, 1.0, 0.6, -0.1};

template <int N>
Eigen::Matrix<double, N, N> SomeWeights() {
  Eigen::Matrix<double, N, N> W;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j)
      W(i, j) = (i == j ? 2.0 : 0.3) + 0.1 * i - 0.05 * j;
  }
  return W;
}

template <typename G>
class FactorsOfGroups : public testing::Test {};
using Groups = testing::Types<SO2, SE2, EigenSO3, SE3, EigenSE3, Sim3>;
TYPED_TEST_SUITE(FactorsOfGroups, Groups);

TYPED_TEST(FactorsOfGroups, AreWhitenedLogarithms) {
  using G = TypeParam;
  constexpr int n = G::kTangentSize;
  const GroupManifold<G> manifold;
  const std::vector<double> a = At<G>(kA);
  const std::vector<double> b = At<G>(kB);
  const std::vector<double> z = At<G>(kMeasured);
  const auto W = SomeWeights<n>();
  using Vector = Eigen::Matrix<double, n, 1>;

  std::vector<double> inverse(a.size()), ab(a.size());
  Vector error, residuals;
  G::Inverse(a.data(), inverse.data());
  G::Compose(inverse.data(), b.data(), ab.data());
  const std::unique_ptr<CostFunction> between(
      BetweenFactor<G>::Create(z.data(), W));
  manifold.Minus(ab.data(), z.data(), error.data());
  const double* blocks[2] = {a.data(), b.data()};
  ASSERT_TRUE(between->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_LE((residuals - W * error).norm(), 1e-14 * (1.0 + error.norm()));
  ExpectDerivatives(*between, {{a, &manifold}, {b, &manifold}}, 1e-8);

  const std::unique_ptr<CostFunction> prior(
      PriorFactor<G>::Create(z.data(), W));
  manifold.Minus(a.data(), z.data(), error.data());
  ASSERT_TRUE(prior->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_LE((residuals - W * error).norm(), 1e-14 * (1.0 + error.norm()));
  ExpectDerivatives(*prior, {{a, &manifold}}, 1e-8);

  // Residuals are zero where the measurement is exact.
  const std::unique_ptr<CostFunction> exact(
      BetweenFactor<G>::Create(ab.data(), W));
  ASSERT_TRUE(exact->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_LE(residuals.norm(), 1e-14);
  ExpectDerivatives(*exact, {{a, &manifold}, {b, &manifold}}, 1e-8);
}

// Errors from zero to almost half turns.
TEST(RelativeFactors, HaveDerivativesForSmallAndLargeErrors) {
  const SE3Manifold manifold;
  const auto W = SomeWeights<6>();
  const std::vector<double> z = At<SE3>(kMeasured);
  const std::vector<double> a = At<SE3>(kA);
  for (double scale : {0.0, 1e-9, 0.3, 1.0}) {
    // b = a z Exp(error).
    const std::vector<double> error = {1.2 * scale, -2.0 * scale, 1.9 * scale,
                                       0.5 * scale, -0.1,         0.7 * scale};
    std::vector<double> az(7), b(7);
    SE3::Compose(a.data(), z.data(), az.data());
    SE3::Plus(az.data(), error.data(), b.data());
    const std::unique_ptr<CostFunction> between(
        BetweenFactor<SE3>::Create(z.data(), W));
    ExpectDerivatives(*between, {{a, &manifold}, {b, &manifold}}, 1e-7);
    const std::unique_ptr<CostFunction> prior(
        PriorFactor<SE3>::Create(az.data(), W));
    ExpectDerivatives(*prior, {{b, &manifold}}, 1e-7);
  }
}

TEST(SquareRootInformation, InvertsCovariancesAndFactorsInformation) {
  Eigen::Matrix3d S;
  S << 4.0, 1.0, -0.5, 1.0, 2.0, 0.3, -0.5, 0.3, 0.7;
  Eigen::Matrix3d W;
  std::string error;
  ASSERT_TRUE(SquareRootInformationFromCovariance<3>(S, &W, &error));
  EXPECT_LE((W.transpose() * W * S - Eigen::Matrix3d::Identity()).norm(),
            1e-14);
  ASSERT_TRUE(SquareRootInformationFromInformation<3>(S, &W, &error));
  EXPECT_LE((W.transpose() * W - S).norm(), 1e-14);
  EXPECT_EQ(SquareRootInformationFromSigmas<2>({0.5, 4.0}),
            (Eigen::Matrix2d() << 2.0, 0.0, 0.0, 0.25).finished());
}

TEST(SquareRootInformation, SaysWhyAMatrixHasNone) {
  Eigen::Matrix2d S, W;
  std::string error;
  S << 1.0, 2.0, 2.0, 4.0;
  EXPECT_FALSE(SquareRootInformationFromCovariance<2>(S, &W, &error));
  EXPECT_NE(error.find("covariance is not positive definite: row 1"),
            std::string::npos)
      << error;
  S << 1.0, 2.0, 0.0, 4.0;
  EXPECT_FALSE(SquareRootInformationFromInformation<2>(S, &W, &error));
  EXPECT_NE(error.find("information matrix is not symmetric"),
            std::string::npos)
      << error;
  S.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(SquareRootInformationFromCovariance<2>(S, &W, &error));
}

}  // namespace
}  // namespace ceres::factors
