// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Factors of measurements: images, points, ranges, directions, pseudoranges.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/autodiff_cost_function.h"
#include "ceres/constants.h"
#include "ceres/factors/alignment_factors.h"
#include "ceres/factors/pseudorange.h"
#include "ceres/factors/range_bearing.h"
#include "ceres/factors/reprojection.h"
#include "ceres/modelling/factors/factor_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::factors {
namespace {

const SE3Manifold kSE3;
const EigenSE3Manifold kEigenSE3;
const SE2Manifold kSE2;

template <typename Camera>
struct Intrinsics;
template <>
struct Intrinsics<PinholeCamera> {
  static std::vector<double> Get() { return {520.0, 515.0, 321.0, 243.0}; }
};
template <>
struct Intrinsics<SimpleRadialCamera> {
  static std::vector<double> Get() { return {520.0, 321.0, 243.0, -0.2}; }
};
template <>
struct Intrinsics<OpenCV4Camera> {
  static std::vector<double> Get() {
    return {520.0, 515.0, 321.0, 243.0, -0.2, 0.05, 0.003, -0.002};
  }
};
template <>
struct Intrinsics<RadialCamera> {
  static std::vector<double> Get() { return {520.0, 321.0, 243.0, -0.2, 0.05}; }
};
template <>
struct Intrinsics<OpenCVCamera> {
  static std::vector<double> Get() {
    return {520.0, 515.0, 321.0, 243.0, -0.2, 0.05, 0.003, -0.002, 0.01};
  }
};
template <>
struct Intrinsics<FisheyeCamera> {
  static std::vector<double> Get() {
    return {320.0, 315.0, 321.0, 243.0, -0.02, 0.005, 0.003, -0.002};
  }
};

template <typename Camera>
class Reprojection : public testing::Test {};
using Cameras = testing::Types<PinholeCamera, SimpleRadialCamera, RadialCamera,
                               OpenCV4Camera, OpenCVCamera, FisheyeCamera>;
TYPED_TEST_SUITE(Reprojection, Cameras);

TYPED_TEST(Reprojection, HasExactDerivatives) {
  using Camera = TypeParam;
  const std::vector<double> intrinsics = Intrinsics<Camera>::Get();
  const std::vector<double> pose =
      Element<SE3>({0.3, -0.2, 0.5, 1.0, 2.0, -0.5});
  const std::vector<double> extrinsics =
      Element<SE3>({-1.2, 0.1, 0.3, 0.1, -0.2, 0.05});
  // Points in the frame of the camera, on the axis among them.
  for (const Eigen::Vector3d& local :
       {Eigen::Vector3d(0.4, -0.3, 2.0), Eigen::Vector3d(0.0, 0.0, 1.5),
        Eigen::Vector3d(1e-9, 2e-9, 1.0), Eigen::Vector3d(-3.0, 2.0, 4.0)}) {
    std::vector<double> point(3), in_body(3), far_point(3);
    SE3::Act(pose.data(), local.data(), point.data());
    SE3::Act(extrinsics.data(), local.data(), in_body.data());
    SE3::Act(pose.data(), in_body.data(), far_point.data());

    const std::unique_ptr<CostFunction> cost(
        ReprojectionFactor<Camera>::Create(300.0, 200.0, 0.5));
    ExpectDerivatives(*cost, {{pose, &kSE3}, {point}, {intrinsics}}, 1e-7);

    const std::unique_ptr<CostFunction> rig_cost(
        RigReprojectionFactor<Camera>::Create(300.0, 200.0, 0.5));
    const std::vector<Block> blocks = {
        {pose, &kSE3}, {extrinsics, &kSE3}, {far_point}, {intrinsics}};
    ExpectDerivatives(*rig_cost, blocks, 1e-7);
    if constexpr (Camera::kHasJacobians) {
      ExpectSameFunction(
          *rig_cost,
          AutoDiffCostFunction<RigReprojectionFactor<Camera>, 2, 7, 7, 3,
                               Camera::kNumIntrinsics>(
              new RigReprojectionFactor<Camera>(300.0, 200.0, 0.5)),
          blocks, 1e-12);
    }
    // The rig's camera sees what a camera at the composed pose sees.
    Eigen::Vector2d a, b;
    const double* p[4] = {pose.data(), extrinsics.data(), far_point.data(),
                          intrinsics.data()};
    ASSERT_TRUE(rig_cost->Evaluate(p, a.data(), nullptr));
    const double* q[3] = {pose.data(), point.data(), intrinsics.data()};
    ASSERT_TRUE(cost->Evaluate(q, b.data(), nullptr));
    EXPECT_LE((a - b).norm(), 1e-9);
  }
}

// A pose that is stored world to camera is the inverse of one that is not.
TYPED_TEST(Reprojection, TakesInversePoses) {
  using Camera = TypeParam;
  const std::vector<double> intrinsics = Intrinsics<Camera>::Get();
  const std::vector<double> point = {0.7, -0.4, 5.0};
  const std::vector<double> pose =
      Element<SE3>({0.1, -0.2, 0.05, 0.3, 0.2, -0.5});
  const std::vector<double> extrinsics =
      Element<SE3>({-0.1, 0.1, 0.3, 0.1, -0.2, 0.05});
  std::vector<double> inverse(7), inverse_extrinsics(7);
  SE3::Inverse(pose.data(), inverse.data());
  SE3::Inverse(extrinsics.data(), inverse_extrinsics.data());
  const auto angle_axis = [](const std::vector<double>& x) {
    std::vector<double> result(6);
    SE3::Rotation::Log(x.data(), result.data());
    std::copy_n(&x[4], 3, &result[3]);
    return result;
  };
  const std::vector<double> turned = angle_axis(inverse);
  const std::vector<double> turned_extrinsics = angle_axis(inverse_extrinsics);
  const auto expect_same = [](CostFunction* a, CostFunction* b,
                              const std::vector<const double*>& at_a,
                              const std::vector<const double*>& at_b) {
    const std::unique_ptr<CostFunction> first(a), second(b);
    Eigen::Vector2d x, y;
    ASSERT_TRUE(first->Evaluate(at_a.data(), x.data(), nullptr));
    ASSERT_TRUE(second->Evaluate(at_b.data(), y.data(), nullptr));
    EXPECT_LE((x - y).norm(), 1e-11);
  };
  const auto one = [&](const std::vector<double>& x) {
    return std::vector<const double*>{x.data(), point.data(),
                                      intrinsics.data()};
  };
  const auto two = [&](const std::vector<double>& x,
                       const std::vector<double>& e) {
    return std::vector<const double*>{x.data(), e.data(), point.data(),
                                      intrinsics.data()};
  };
  using Stored = InversePose<SE3>;
  expect_same(ReprojectionFactor<Camera>::Create(300.0, 200.0, 0.5),
              ReprojectionFactor<Camera, Stored>::Create(300.0, 200.0, 0.5),
              one(pose), one(inverse));
  expect_same(ReprojectionFactor<Camera>::Create(300.0, 200.0, 0.5),
              ReprojectionFactor<Camera, AngleAxisInversePose>::Create(
                  300.0, 200.0, 0.5),
              one(pose), one(turned));
  expect_same(RigReprojectionFactor<Camera>::Create(300.0, 200.0, 0.5),
              RigReprojectionFactor<Camera, Stored>::Create(300.0, 200.0, 0.5),
              two(pose, extrinsics), two(inverse, inverse_extrinsics));
  expect_same(RigReprojectionFactor<Camera>::Create(300.0, 200.0, 0.5),
              RigReprojectionFactor<Camera, AngleAxisInversePose>::Create(
                  300.0, 200.0, 0.5),
              two(pose, extrinsics), two(turned, turned_extrinsics));
}

TEST(CameraModels, SimplerCamerasHaveTheBitsOfSpecialCases) {
  const double point[3] = {0.4, -0.3, 1.7};
  const auto expect_same = [&](auto simple, auto general, std::vector<double> k,
                               std::vector<double> general_k) {
    double a[2], b[2];
    ASSERT_TRUE(decltype(simple)::Project(k.data(), point, a));
    ASSERT_TRUE(decltype(general)::Project(general_k.data(), point, b));
    EXPECT_EQ(a[0], b[0]);
    EXPECT_EQ(a[1], b[1]);
  };
  expect_same(SimpleRadialCamera(), RadialCamera(), {520.0, 321.0, 243.0, -0.2},
              {520.0, 321.0, 243.0, -0.2, 0.0});
  std::vector<double> k = Intrinsics<OpenCV4Camera>::Get(), zero = k;
  zero.push_back(0.0);
  expect_same(OpenCV4Camera(), OpenCVCamera(), k, zero);
  expect_same(SimpleRadialCamera(), OpenCV4Camera(),
              {520.0, 321.0, 243.0, -0.2},
              {520.0, 520.0, 321.0, 243.0, -0.2, 0.0, 0.0, 0.0});
}

TEST(PinholeCamera, ProjectsByHand) {
  const double k[4] = {100.0, 200.0, 10.0, 20.0};
  const double point[3] = {1.0, -2.0, 4.0};
  double pixel[2];
  ASSERT_TRUE(PinholeCamera::Project(k, point, pixel));
  EXPECT_EQ(pixel[0], 35.0);
  EXPECT_EQ(pixel[1], -80.0);
}

TEST(RadialCamera, DistortsByHand) {
  // x = 0.5, y = -0.5, r^2 = 0.5; powers of two are exact.
  const double k[5] = {128.0, 10.0, 20.0, 0.5, 0.25};
  const double point[3] = {1.0, -1.0, 2.0};
  double pixel[2];
  ASSERT_TRUE(RadialCamera::Project(k, point, pixel));
  const double d = 1.0 + 0.5 * 0.5 + 0.25 * 0.25;
  EXPECT_EQ(pixel[0], 128.0 * d * 0.5 + 10.0);
  EXPECT_EQ(pixel[1], 128.0 * d * -0.5 + 20.0);
}

TEST(OpenCVCamera, DistortsByHand) {
  // x = 0.5, y = -0.5, r^2 = 0.5; powers of two are exact.
  const double k[9] = {1.0, 1.0, 0.0, 0.0, 0.5, 0.25, 0.125, 0.0625, 2.0};
  const double point[3] = {1.0, -1.0, 2.0};
  double pixel[2];
  ASSERT_TRUE(OpenCVCamera::Project(k, point, pixel));
  const double d = 1.0 + 0.5 * 0.5 + 0.25 * 0.25 + 2.0 * 0.125;
  EXPECT_EQ(pixel[0], 0.5 * d + 2 * 0.125 * -0.25 + 0.0625 * (0.5 + 0.5));
  EXPECT_EQ(pixel[1], -0.5 * d + 2 * 0.0625 * -0.25 + 0.125 * (0.5 + 0.5));
}

TEST(FisheyeCamera, MapsAnglesToRadii) {
  // Without distortion the radius is f t; the second point is behind the
  // camera.
  const double k[8] = {100.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  for (double angle : {0.5, 2.0}) {
    const double point[3] = {std::sin(angle) * 0.6, std::sin(angle) * 0.8,
                             std::cos(angle)};
    double pixel[2];
    ASSERT_TRUE(FisheyeCamera::Project(k, point, pixel));
    EXPECT_NEAR(pixel[0], 60.0 * angle, 1e-12);
    EXPECT_NEAR(pixel[1], 80.0 * angle, 1e-12);
  }
}

TEST(CameraModels, RefusePointsWithoutAnImage) {
  double pixel[2], by_intrinsics[18], by_point[6];
  const double behind[3] = {0.1, 0.2, -1.0};
  const double axis_behind[3] = {0.0, 0.0, -1.0};
  const double center[3] = {0.0, 0.0, 0.0};
  const double k[9] = {1.0, 1.0};
  EXPECT_FALSE(PinholeCamera::Project(k, behind, pixel));
  EXPECT_FALSE(SimpleRadialCamera::Project(k, behind, pixel));
  EXPECT_FALSE(RadialCamera::Project(k, behind, pixel));
  EXPECT_FALSE(OpenCV4Camera::Project(k, behind, pixel));
  EXPECT_FALSE(OpenCVCamera::Project(k, behind, pixel));
  EXPECT_FALSE(FisheyeCamera::Project(k, axis_behind, pixel));
  EXPECT_FALSE(FisheyeCamera::Project(k, center, pixel));
  EXPECT_FALSE(OpenCVCamera::ProjectWithJacobians(k, behind, pixel,
                                                  by_intrinsics, by_point));
  EXPECT_FALSE(FisheyeCamera::ProjectWithJacobians(k, center, pixel,
                                                   by_intrinsics, by_point));
}

TEST(AlignmentFactors, MeasureDistancesInTheWorld) {
  const Eigen::Vector3d p(0.3, -1.2, 0.8), q(1.0, 0.5, -0.2);
  const Eigen::Vector3d n = Eigen::Vector3d(1.0, 2.0, -2.0) / 3.0;
  Eigen::Matrix3d W;
  W << 2.0, 0.0, 0.0, 0.5, 3.0, 0.0, 0.1, -0.2, 1.5;
  const std::vector<double> pose =
      Element<EigenSE3>({0.3, -0.9, 1.5, 1.0, 2.0, -0.5});
  const Eigen::Vector3d distance =
      Eigen::Map<const Eigen::Quaterniond>(pose.data()) * p +
      Eigen::Map<const Eigen::Vector3d>(pose.data() + 4) - q;
  const std::unique_ptr<CostFunction> point(
      PointToPointFactor<EigenSE3>::Create(p, q, W));
  const std::unique_ptr<CostFunction> plane(
      PointToPlaneFactor<EigenSE3>::Create(p, q, n, 0.2));
  Eigen::Vector3d residuals;
  const double* blocks[1] = {pose.data()};
  ASSERT_TRUE(point->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_LE((residuals - W * distance).norm(), 1e-14);
  ASSERT_TRUE(plane->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_NEAR(residuals[0], n.dot(distance) / 0.2, 1e-13);
  ExpectDerivatives(*point, {{pose, &kEigenSE3}}, 1e-9);
  ExpectDerivatives(*plane, {{pose, &kEigenSE3}}, 1e-9);
}

TEST(HandEyeFactor, VanishesAtTheTrueCalibration) {
  const std::vector<double> x =
      Element<SE3>({0.1, -0.2, 1.5, 0.04, -0.02, 0.1});
  const std::vector<double> hand =
      Element<SE3>({0.7, 0.3, -0.4, 0.3, 0.2, 0.5});
  std::vector<double> moved(7), sensor(7);
  SE3::Compose(hand.data(), x.data(), moved.data());
  SE3::Between(x.data(), moved.data(), sensor.data());
  const std::unique_ptr<CostFunction> cost(HandEyeFactor<SE3>::Create(
      hand.data(), sensor.data(),
      100.0 * Eigen::Matrix<double, 6, 6>::Identity()));
  Eigen::Matrix<double, 6, 1> residuals;
  const double* blocks[1] = {x.data()};
  ASSERT_TRUE(cost->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_LE(residuals.norm(), 1e-12);
  ExpectDerivatives(*cost, {{x, &kSE3}}, 1e-8);
}

TEST(RangeAndBearing, InThePlane) {
  const std::vector<double> pose = {0.4, 1.0, 2.0};
  // 5 m away, 3 m along x and 4 m along y of the world.
  const std::vector<double> landmark = {4.0, 6.0};
  const std::unique_ptr<CostFunction> range(RangeFactor<SE2>::Create(4.5, 0.1));
  // A bearing on the other side of the branch cut.
  const double angle = std::atan2(4.0, 3.0) - 0.4;
  const std::unique_ptr<CostFunction> bearing(
      PlanarBearingFactor::Create(angle - 0.02 + 2.0 * constants::pi, 0.01));
  double residual;
  const double* blocks[2] = {pose.data(), landmark.data()};
  ASSERT_TRUE(range->Evaluate(blocks, &residual, nullptr));
  EXPECT_NEAR(residual, 5.0, 1e-12);
  ASSERT_TRUE(bearing->Evaluate(blocks, &residual, nullptr));
  EXPECT_NEAR(residual, 2.0, 1e-12);
  ExpectDerivatives(*range, {{pose, &kSE2}, {landmark}}, 1e-8);
  ExpectDerivatives(*bearing, {{pose, &kSE2}, {landmark}}, 1e-8);
  const double* same[2] = {pose.data(), pose.data() + 1};
  EXPECT_FALSE(range->Evaluate(same, &residual, nullptr));
  EXPECT_FALSE(bearing->Evaluate(same, &residual, nullptr));
}

TEST(RangeAndBearing, InSpace) {
  const std::vector<double> pose =
      Element<SE3>({0.3, -0.9, 1.5, 1.0, 2.0, -0.5});
  const Eigen::Vector3d measured = Eigen::Vector3d(0.5, -1.0, 2.0).normalized();
  const Eigen::Vector3d across = measured.unitOrthogonal();
  for (double angle : {0.0, 1e-9, 0.3, 1.0, 3.0}) {
    const Eigen::Vector3d local =
        7.0 * (std::cos(angle) * measured + std::sin(angle) * across);
    std::vector<double> landmark(3);
    SE3::Act(pose.data(), local.data(), landmark.data());
    const std::unique_ptr<CostFunction> bearing(
        BearingFactor<SE3>::Create(3.0 * measured, 0.01));
    const std::unique_ptr<CostFunction> range(
        RangeFactor<SE3>::Create(6.0, 0.5));
    Eigen::Vector2d residuals;
    const double* blocks[2] = {pose.data(), landmark.data()};
    ASSERT_TRUE(bearing->Evaluate(blocks, residuals.data(), nullptr));
    EXPECT_NEAR(residuals.norm(), angle / 0.01, 1e-11);
    ExpectDerivatives(*bearing, {{pose, &kSE3}, {landmark}}, 1e-7);
    ASSERT_TRUE(range->Evaluate(blocks, residuals.data(), nullptr));
    EXPECT_NEAR(residuals[0], 2.0, 1e-12);
    ExpectDerivatives(*range, {{pose, &kSE3}, {landmark}}, 1e-8);
  }
}

TEST(PseudorangeFactor, AgreesWithARotatedSatellite) {
  const Eigen::Vector3d satellite(1.5e7, 1.1e7, 1.8e7);
  const std::vector<double> receiver = {4.2e6, 1.1e6, 4.6e6};
  const std::vector<double> clock_bias = {120.0};
  // The satellite in the Earth-fixed frame at the time of reception.
  const Eigen::Vector3d p(receiver[0], receiver[1], receiver[2]);
  double range = (satellite - p).norm();
  for (int i = 0; i < 5; ++i) {
    const double angle = PseudorangeFactor::kEarthRotation * range /
                         PseudorangeFactor::kSpeedOfLight;
    const Eigen::Matrix3d turn =
        Eigen::AngleAxisd(-angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    range = (turn * satellite - p).norm();
  }
  EXPECT_GT(std::abs(range - (satellite - p).norm()), 1.0);
  const std::unique_ptr<CostFunction> cost(
      PseudorangeFactor::Create(satellite, range + 120.0 - 8.0, 4.0));
  double residual;
  const double* blocks[2] = {receiver.data(), clock_bias.data()};
  ASSERT_TRUE(cost->Evaluate(blocks, &residual, nullptr));
  // Second-order terms are below a millimetre.
  EXPECT_NEAR(residual, 2.0, 1e-3);
  const Evaluation e = EvaluateBlocks(*cost, {{receiver}, {clock_bias}});
  // The unit vector from the satellite, plus the Sagnac term; sigma is 4.
  const double rate =
      PseudorangeFactor::kEarthRotation / PseudorangeFactor::kSpeedOfLight;
  const Eigen::Vector3d gradient =
      (p - satellite).normalized() +
      rate * Eigen::Vector3d(-satellite[1], satellite[0], 0.0);
  EXPECT_LE((e.jacobian.leftCols(3).transpose() - gradient / 4.0).norm(),
            1e-14);
  EXPECT_EQ(e.jacobian(0, 3), 0.25);
}

}  // namespace
}  // namespace ceres::factors
