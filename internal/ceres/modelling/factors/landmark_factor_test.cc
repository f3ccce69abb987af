// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/constants.h"
#include "ceres/factors/landmark.h"
#include "ceres/modelling/factors/factor_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::factors {
namespace {

const SE2Manifold kSE2;
const SE3Manifold kSE3;
const EigenSE3Manifold kEigenSE3;

template <typename Pose>
CostFunction* AutoDiff(const LandmarkFactor<Pose>& factor) {
  constexpr int kSize = LandmarkFactor<Pose>::kSize;
  return new AutoDiffCostFunction<LandmarkFactor<Pose>, kSize,
                                  Pose::kAmbientSize, kSize>(
      new LandmarkFactor<Pose>(factor));
}

Eigen::Matrix2d PlanarWeight() {
  return (Eigen::Matrix2d() << 2.0, 0.5, 0.0, 3.0).finished();
}

Eigen::Matrix3d SpatialWeight() {
  return (Eigen::Matrix3d() << 2.0, 0.5, -1.0, 0.0, 3.0, 0.7, 0.0, 0.0, 1.5)
      .finished();
}

template <typename Pose>
void ExpectExactDerivatives(const Manifold& manifold,
                            const std::vector<std::vector<double>>& tangents,
                            const std::vector<double>& sensor_tangent,
                            const typename LandmarkFactor<Pose>::Matrix& W) {
  using Vector = typename LandmarkFactor<Pose>::Vector;
  const std::vector<double> sensor = Element<Pose>(sensor_tangent);
  const Vector measured = Vector::LinSpaced(-1.0, 2.0);
  for (const std::vector<double>& tangent : tangents) {
    for (const double distance : {0.0, 0.3, 1e6}) {
      const std::vector<double> pose = Element<Pose>(tangent);
      std::vector<double> landmark(LandmarkFactor<Pose>::kSize);
      for (std::size_t i = 0; i < landmark.size(); ++i) {
        landmark[i] = distance * (1.0 - 0.7 * static_cast<double>(i));
      }
      const std::vector<Block> blocks = {{pose, &manifold}, {landmark}};
      const std::unique_ptr<CostFunction> cost(
          LandmarkFactor<Pose>::Create(measured, W, sensor.data()));
      const std::unique_ptr<CostFunction> reference(
          AutoDiff(LandmarkFactor<Pose>(measured, W, sensor.data())));
      ExpectSameFunction(*cost, *reference, blocks, 1e-12);
      const std::unique_ptr<CostFunction> at_origin(
          LandmarkFactor<Pose>::Create(measured, W));
      const std::unique_ptr<CostFunction> reference_at_origin(
          AutoDiff(LandmarkFactor<Pose>(measured, W)));
      ExpectSameFunction(*at_origin, *reference_at_origin, blocks, 1e-12);
    }
  }
}

TEST(LandmarkFactor, HasTheDerivativesOfAutomaticDifferentiationInThePlane) {
  ExpectExactDerivatives<SE2>(
      kSE2, {{0.0, 0.0, 0.0}, {0.4, 1.0, -2.0}, {constants::pi, -3.0, 5.0}},
      {-0.8, 0.3, 0.2}, PlanarWeight());
}

TEST(LandmarkFactor, HasTheDerivativesOfAutomaticDifferentiationInSpace) {
  const std::vector<std::vector<double>> tangents = {
      {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      {0.4, -0.3, 0.2, 1.0, -2.0, 3.0},
      {3.1, 0.2, 0.0, -1.0, 1e3, 0.5}};
  const std::vector<double> sensor = {0.1, -1.2, 0.4, 0.3, 0.2, -0.1};
  ExpectExactDerivatives<SE3>(kSE3, tangents, sensor, SpatialWeight());
  ExpectExactDerivatives<EigenSE3>(kEigenSE3, tangents, sensor,
                                   SpatialWeight());
}

TEST(LandmarkFactor, MeasuresInTheFrameOfTheSensorByHand) {
  // The body at (1, 2) looks along +y; its sensor is 1 ahead and looks to the
  // left of the body, along -x of the world. The landmark is 3 ahead of it.
  const double pose[3] = {constants::pi / 2, 1.0, 2.0};
  const double sensor[3] = {constants::pi / 2, 1.0, 0.0};
  const double landmark[2] = {-2.0, 3.0};
  const std::unique_ptr<CostFunction> cost(LandmarkFactor<SE2>::Create(
      Eigen::Vector2d(2.5, 0.25), PlanarWeight(), sensor));
  double residuals[2];
  const double* parameters[2] = {pose, landmark};
  ASSERT_TRUE(cost->Evaluate(parameters, residuals, nullptr));
  EXPECT_NEAR(residuals[0], 2.0 * 0.5 + 0.5 * -0.25, 1e-14);
  EXPECT_NEAR(residuals[1], 3.0 * -0.25, 1e-14);
}

TEST(LandmarkFactor, DoesNotDependOnTheOrderOfQuaternions) {
  const std::vector<double> tangent = {0.4, -0.3, 0.2, 1.0, -2.0, 3.0};
  const std::vector<double> a = Element<SE3>(tangent);
  const std::vector<double> b = Element<EigenSE3>(tangent);
  const double landmark[3] = {5.0, 6.0, 7.0};
  const Eigen::Vector3d measured(1.0, 2.0, 3.0);
  const std::unique_ptr<CostFunction> of_a(
      LandmarkFactor<SE3>::Create(measured, SpatialWeight()));
  const std::unique_ptr<CostFunction> of_b(
      LandmarkFactor<EigenSE3>::Create(measured, SpatialWeight()));
  const double* parameters_a[2] = {a.data(), landmark};
  const double* parameters_b[2] = {b.data(), landmark};
  Eigen::Vector3d residuals_a, residuals_b;
  ASSERT_TRUE(of_a->Evaluate(parameters_a, residuals_a.data(), nullptr));
  ASSERT_TRUE(of_b->Evaluate(parameters_b, residuals_b.data(), nullptr));
  EXPECT_LE((residuals_a - residuals_b).norm(), 1e-14);
  EXPECT_GT(residuals_a.norm(), 1.0);
}

TEST(LandmarkFactor, IsWithoutEffectWithAWeightOfZero) {
  const std::unique_ptr<CostFunction> cost(LandmarkFactor<SE2>::Create(
      Eigen::Vector2d(1.0, 2.0), Eigen::Matrix2d::Zero()));
  const Evaluation e =
      EvaluateBlocks(*cost, {{{0.3, 1.0, 2.0}, &kSE2}, {{5.0, 6.0}}});
  ASSERT_TRUE(e.succeeded);
  EXPECT_EQ(e.residuals.norm(), 0.0);
  EXPECT_EQ(e.jacobian.norm(), 0.0);
}

}  // namespace
}  // namespace ceres::factors
