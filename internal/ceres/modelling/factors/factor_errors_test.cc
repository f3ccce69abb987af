// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Data that are not valid: every Create returns null and says what is wrong.

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ceres/factors/factors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::factors {
namespace {

using Vector3 = Eigen::Vector3d;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kNotFinite = {kNaN, kInfinity, -kInfinity};
const std::vector<double> kBadSigmas = {0.0,    -1.0,      kNaN,
                                        1e-320, kInfinity, -kInfinity};

void ExpectError(CostFunction* cost, const std::string& error,
                 const std::string& text) {
  EXPECT_EQ(cost, nullptr);
  EXPECT_THAT(error, HasSubstr(text));
  delete cost;
}

void ExpectCreated(CostFunction* cost, const std::string& error) {
  EXPECT_NE(cost, nullptr) << error;
  EXPECT_EQ(error, "");
  delete cost;
}

TEST(FactorErrors, SigmasMustBePositiveAndFinite) {
  const Vector3 v(1.0, 2.0, 3.0);
  for (const double sigma : kBadSigmas) {
    SCOPED_TRACE(sigma);
    std::string e;
    ExpectError(RangeFactor<SE3>::Create(1.0, sigma, &e), e, "RangeFactor: si");
    ExpectError(PlanarBearingFactor::Create(1.0, sigma, &e), e, "sigma is");
    ExpectError(BearingFactor<>::Create(v, sigma, &e), e, "sigma is");
    ExpectError(PointToPlaneFactor<>::Create(v, v, v, sigma, &e), e, "sigma");
    ExpectError(PseudorangeFactor::Create(v, 2e7, sigma, &e), e, "sigma is");
    ExpectError((ReprojectionFactor<PinholeCamera>::Create(1, 1, sigma, &e)), e,
                "sigma is");
    ExpectError((RigReprojectionFactor<PinholeCamera>::Create(1, 1, sigma, &e)),
                e, "sigma is");
    ExpectError(BiasWalkFactor::Create(ImuNoise(), sigma, &e), e, "duration");
    ImuNoise noise;
    noise.accelerometer_bias_walk = sigma;
    ExpectError(BiasWalkFactor::Create(noise, 1.0, &e), e,
                "accelerometer_bias_walk is");
    const Eigen::Matrix2d W =
        SquareRootInformationFromSigmas<2>(Eigen::Vector2d(1.0, sigma), &e);
    EXPECT_TRUE(W.array().isNaN().all());
    EXPECT_THAT(e, HasSubstr("standard deviation is"));
  }
}

TEST(FactorErrors, MeasurementsMustBeFinite) {
  const Vector3 v(1.0, 2.0, 3.0);
  for (const double bad : kNotFinite) {
    SCOPED_TRACE(bad);
    const Vector3 b(0.0, bad, 1.0);
    const Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
    std::string e;
    ExpectError(RangeFactor<SE2>::Create(bad, 1.0, &e), e, "range is");
    ExpectError(PlanarBearingFactor::Create(bad, 1.0, &e), e, "bearing is");
    ExpectError(BearingFactor<>::Create(b, 1.0, &e), e, "direction[1] is");
    ExpectError(PointToPointFactor<>::Create(b, v, W, &e), e, "body_point[1]");
    ExpectError(PointToPointFactor<>::Create(v, b, W, &e), e, "world_point[1]");
    ExpectError(PointToPointFactor<>::Create(v, v, W * bad, &e), e,
                "square_root_information[");
    ExpectError(PointToPlaneFactor<>::Create(v, b, v, 1.0, &e), e, "plane_po");
    ExpectError(PseudorangeFactor::Create(b, 2e7, 1.0, &e), e, "satellite[1]");
    ExpectError(PseudorangeFactor::Create(v, bad, 1.0, &e), e, "pseudorange");
    ExpectError((ReprojectionFactor<PinholeCamera>::Create(1, bad, 1, &e)), e,
                "observed_v is");
    const double pose[3] = {0.1, bad, 2.0};
    ExpectError(PriorFactor<SE2>::Create(pose, W, &e), e, "measured[1] is");
    ExpectError(BetweenFactor<SE2>::Create(pose, W, &e), e, "measured[1] is");
    ExpectError(LandmarkFactor<SE3>::Create(b, W, &e), e, "measured[1] is");
    ExpectError(LandmarkFactor<SE3>::Create(v, bad * W, &e), e, "square_root");
    ExpectError(LandmarkFactor<SE2>::Create(
                    {1.0, 2.0}, Eigen::Matrix2d::Identity(), pose, &e),
                e, "sensor_in_body[1] is");
  }
}

TEST(FactorErrors, DirectionsAndQuaternionsMustNotBeZero) {
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  using Matrix7 = Eigen::Matrix<double, 7, 7>;
  const Vector3 v(1.0, 2.0, 3.0), zero(0.0, 0.0, 0.0);
  std::string e;
  ExpectError(BearingFactor<>::Create(zero, 1.0, &e), e, "norm of direction");
  ExpectError(PointToPlaneFactor<>::Create(v, v, zero, 1.0, &e), e,
              "norm of normal");
  const double none[8] = {}, unit[8] = {0.6, 0.0, 0.8, 0.0, 1.0, 2.0, 3.0, 1.5};
  const double long_one[7] = {6.0, 0.0, 8.0, 0.0, 1.0, 2.0, 3.0};
  const double shrunk[8] = {0.6, 0.0, 0.8, 0.0, 1.0, 2.0, 3.0, 0.0};
  const Matrix6 W = Matrix6::Identity();
  for (const double* q : {none, long_one}) {
    ExpectError(PriorFactor<SE3>::Create(q, W, &e), e, "quaternion of meas");
    ExpectError(BetweenFactor<EigenSE3>::Create(q, W, &e), e, "quaternion of");
    ExpectError(HandEyeFactor<>::Create(unit, q, W, &e), e, "of sensor_motion");
    ExpectError(HandEyeFactor<>::Create(q, unit, W, &e), e, "of hand_motion");
  }
  ExpectError(BetweenFactor<Sim3>::Create(shrunk, Matrix7::Identity(), &e), e,
              "scale of measured");
  e.clear();
  ExpectCreated(BetweenFactor<Sim3>::Create(unit, Matrix7::Identity(), &e), e);
  // Few digits, as in files.
  const double rounded[7] = {0.71, 0.0, 0.71, 0.0, 1.0, 2.0, 3.0};
  ExpectCreated(BetweenFactor<SE3>::Create(rounded, W, &e), e);
}

TEST(FactorErrors, AreLoggedWithoutAString) {
  EXPECT_EQ(RangeFactor<SE2>::Create(kNaN, 1.0), nullptr);
}

TEST(FactorErrorsDeathTest, NullPointersAreMistakesOfTheProgram) {
  // Not known to the compiler, which would warn.
  const double* volatile missing = nullptr;
  EXPECT_DEATH(PriorFactor<SE2>::Create(missing, Eigen::Matrix3d::Identity()),
               "measured is null");
}

TEST(FactorErrors, InformationMaySpareACoordinateButNotBeIndefinite) {
  std::string e;
  Eigen::Matrix3d W;
  Eigen::Matrix3d information = Vector3(4.0, 0.0, 9.0).asDiagonal();
  ASSERT_TRUE(SquareRootInformationFromInformation<3>(information, &W, &e))
      << e;
  EXPECT_EQ(W, Eigen::Matrix3d(Vector3(2.0, 0.0, 3.0).asDiagonal()));
  ASSERT_TRUE(
      SquareRootInformationFromInformation<3>(Eigen::Matrix3d::Zero(), &W, &e));
  EXPECT_EQ(W, Eigen::Matrix3d::Zero());
  // Of rank one.
  const Vector3 a(1.0, -2.0, 0.5);
  information = a * a.transpose();
  ASSERT_TRUE(SquareRootInformationFromInformation<3>(information, &W, &e))
      << e;
  EXPECT_LT((W.transpose() * W - information).norm(), 1e-7);
  information = Vector3(4.0, -1e-3, 9.0).asDiagonal();
  EXPECT_FALSE(SquareRootInformationFromInformation<3>(information, &W, &e));
  EXPECT_THAT(e, HasSubstr("semidefinite, which row 1"));
  // A zero on the diagonal beside an element that is not zero.
  information << 4.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0;
  EXPECT_FALSE(SquareRootInformationFromInformation<3>(information, &W, &e));
  information << 1.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0;
  EXPECT_FALSE(SquareRootInformationFromInformation<3>(information, &W, &e));
  EXPECT_THAT(e, HasSubstr("not symmetric"));
  information.setIdentity();
  information(2, 2) = kNaN;
  EXPECT_FALSE(SquareRootInformationFromInformation<3>(information, &W, &e));
  EXPECT_THAT(e, HasSubstr("not finite"));
}

class ImuErrors : public testing::Test {
 protected:
  using Vector6 = ImuPreintegration::Vector6;
  static ImuPreintegration New(const ImuNoise& noise = ImuNoise()) {
    return ImuPreintegration(noise, Vector6::Zero());
  }
  const Vector3 turn_{0.1, 0.2, -0.3}, force_{0.5, 0.0, 9.8};
  const Vector3 gravity_{0.0, 0.0, -9.81};
  std::string error_;
};

TEST_F(ImuErrors, NameTheSample) {
  for (int k : {0, 1, 7}) {
    for (const double dt : {-0.005, kNaN, kInfinity}) {
      ImuPreintegration m = New();
      for (int i = 0; i < k; ++i) EXPECT_TRUE(m.Integrate(turn_, force_, 0.01));
      const double before = m.duration();
      EXPECT_FALSE(m.Integrate(turn_, force_, dt));
      EXPECT_THAT(m.error(), HasSubstr("sample " + std::to_string(k) + ": dt"));
      // The first error stays.
      EXPECT_FALSE(m.Integrate(turn_, force_, 0.01));
      EXPECT_EQ(m.duration(), before);
      ExpectError(ImuFactor<>::Create(m, gravity_, &error_), error_,
                  "sample " + std::to_string(k));
    }
    for (const double bad : kNotFinite) {
      ImuPreintegration m = New();
      EXPECT_FALSE(m.Integrate(Vector3(0.0, bad, 0.0), force_, 0.01));
      EXPECT_THAT(m.error(), HasSubstr("angular_velocity[1] is"));
      ImuPreintegration n = New();
      EXPECT_FALSE(n.Integrate(turn_, Vector3(0.0, 0.0, bad), 0.01));
      EXPECT_THAT(n.error(), HasSubstr("specific_force[2] is"));
      EXPECT_TRUE(n.covariance().allFinite());
    }
  }
}

TEST_F(ImuErrors, ARepeatedTimeStampHasNoEffect) {
  ImuPreintegration a = New(), b = New();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(a.Integrate(turn_, force_, 0.01));
    EXPECT_TRUE(b.Integrate(turn_, force_, 0.01));
    EXPECT_TRUE(b.Integrate(10.0 * turn_, force_, 0.0));
  }
  EXPECT_EQ(a.covariance(), b.covariance());
  EXPECT_EQ(a.position(), b.position());
  EXPECT_EQ(b.num_samples(), 40);
  ExpectCreated(ImuFactor<>::Create(b, gravity_, &error_), error_);
}

TEST_F(ImuErrors, NoSampleNoFactor) {
  ImuPreintegration m = New();
  ExpectError(ImuFactor<>::Create(m, gravity_, &error_), error_, "no sample");
  EXPECT_TRUE(m.Integrate(turn_, force_, 0.0));
  ExpectError(ImuFactor<>::Create(m, gravity_, &error_), error_, "no sample");
  EXPECT_TRUE(m.Integrate(turn_, force_, 0.01));
  ExpectError(ImuFactor<>::Create(m, kNaN * gravity_, &error_), error_,
              "gravity[0] is");
}

TEST_F(ImuErrors, OnlyTheBiasWalkFactorNeedsTheBiasWalk) {
  ImuNoise noise;
  noise.gyroscope_bias_walk = 0.0;
  ImuPreintegration m = New(noise);
  EXPECT_TRUE(m.Integrate(turn_, force_, 0.01));
  ExpectCreated(ImuFactor<>::Create(m, gravity_, &error_), error_);
  noise = ImuNoise();
  noise.integration = 0.0;
  ImuPreintegration n = New(noise);
  EXPECT_FALSE(n.Integrate(turn_, force_, 0.01));
  ExpectError(ImuFactor<>::Create(n, gravity_, &error_), error_,
              "integration is 0");
}

// W W' must invert the covariance, or there is an error.
TEST_F(ImuErrors, EveryCovarianceGivesAUsableFactorOrAnError) {
  int num_created = 0, num_errors = 0;
  for (const double integration : {1e-1, 1e-4, 1e-8, 1e-10, 1e-12}) {
    for (const double dt : {1.0, 1e-2, 1e-4, 1e-6, 1e-9}) {
      for (const int num_samples : {1, 2, 20}) {
        ImuNoise noise;
        noise.integration = integration;
        ImuPreintegration m = New(noise);
        for (int i = 0; i < num_samples; ++i) {
          EXPECT_TRUE(m.Integrate(turn_, force_, dt));
        }
        std::unique_ptr<CostFunction> cost(
            ImuFactor<>::Create(m, gravity_, &error_));
        if (cost == nullptr) {
          EXPECT_THAT(error_, HasSubstr("ImuNoise::integration"));
          ++num_errors;
          continue;
        }
        ++num_created;
        ImuPreintegration::Matrix9 W;
        ASSERT_TRUE(SquareRootInformationFromCovariance<9>(m.covariance(), &W,
                                                           &error_));
        const ImuPreintegration::Matrix9 I = W * m.covariance() * W.transpose();
        EXPECT_LT((I - ImuPreintegration::Matrix9::Identity()).norm(), 0.1);
      }
    }
  }
  EXPECT_GT(num_created, 30);
  EXPECT_GT(num_errors, 0);
}

}  // namespace
}  // namespace ceres::factors
