// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/factors/imu_factor.h"

#include <cmath>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/imu_preintegration.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/modelling/factors/factor_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::factors {
namespace {

using Vector3 = Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Vector9 = Eigen::Matrix<double, 9, 1>;

const Vector3 kGravity(0.1, -0.2, -9.8);
const Vector6 kBias =
    (Vector6() << 0.02, -0.01, 0.03, 0.1, -0.2, 0.15).finished();

struct Sample {
  Vector3 angular_velocity;
  Vector3 specific_force;
  double dt;
};

// Fast turns and varying accelerations.
std::vector<Sample> SomeSamples() {
  std::vector<Sample> samples;
  for (int i = 0; i < 12; ++i) {
    samples.push_back(
        {{1.5 * std::sin(0.7 * i), -2.0 + 0.1 * i, 1.2 * std::cos(0.4 * i)},
         {3.0 * std::cos(0.3 * i), 9.0, -2.0 * std::sin(0.9 * i)},
         i % 3 == 0 ? 0.02 : 0.05});
  }
  return samples;
}

ImuPreintegration Integrate(const std::vector<Sample>& samples,
                            const Vector6& bias,
                            const ImuNoise& noise = ImuNoise()) {
  ImuPreintegration result(noise, bias);
  for (const Sample& s : samples) {
    result.Integrate(s.angular_velocity, s.specific_force, s.dt);
  }
  return result;
}

// The errors of `to` seen from `from`, in the order of the covariance.
Vector9 Difference(const ImuPreintegration& from, const ImuPreintegration& to) {
  Vector9 result;
  SO3::Minus(to.rotation(), from.rotation(), result.data());
  result.segment<3>(3) = to.velocity() - from.velocity();
  result.tail<3>() = to.position() - from.position();
  return result;
}

// Integrates dq/dt = q (0, w) / 2, dv/dt = R a, dp/dt = v by the classical
// method of Runge and Kutta.
TEST(ImuPreintegration, AgreesWithNumericalIntegration) {
  using State = Eigen::Matrix<double, 10, 1>;  // Quaternion, v, p.
  State x = State::Zero();
  x[0] = 1.0;
  const std::vector<Sample> samples = SomeSamples();
  for (const Sample& s : samples) {
    const Vector3 w = s.angular_velocity - kBias.head<3>();
    const Vector3 a = s.specific_force - kBias.tail<3>();
    const auto slope = [&](const State& y) {
      State d;
      const double half[4] = {0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
      SO3::Compose(y.data(), half, d.data());
      SO3::Act(y.data(), a.data(), d.data() + 4);
      d.tail<3>() = y.segment<3>(4);
      return d;
    };
    const int kSteps = 100;
    const double h = s.dt / kSteps;
    for (int i = 0; i < kSteps; ++i) {
      const State k1 = slope(x);
      const State k2 = slope(x + 0.5 * h * k1);
      const State k3 = slope(x + 0.5 * h * k2);
      const State k4 = slope(x + h * k3);
      x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
  }
  const ImuPreintegration result = Integrate(samples, kBias);
  Vector3 rotation_error;
  SO3::Minus(result.rotation(), x.data(), rotation_error.data());
  EXPECT_LE(rotation_error.norm(), 1e-12);
  EXPECT_LE((result.velocity() - x.segment<3>(4)).norm(), 1e-11);
  EXPECT_LE((result.position() - x.tail<3>()).norm(), 1e-11);
  EXPECT_NEAR(result.duration(), 4 * 0.02 + 8 * 0.05, 1e-15);
}

// Without turns the closed forms are those of constant acceleration.
TEST(ImuPreintegration, OfConstantAccelerationIsAParabola) {
  ImuPreintegration result(ImuNoise(), Vector6::Zero());
  const Vector3 a(1.0, -2.0, 0.5);
  for (int i = 0; i < 8; ++i) result.Integrate(Vector3::Zero(), a, 0.25);
  EXPECT_LE((result.velocity() - 2.0 * a).norm(), 1e-15);
  EXPECT_LE((result.position() - 2.0 * a).norm(), 1e-15);
}

TEST(ImuPreintegration, CovarianceIsThatOfTheNoiseOfAllSamples) {
  ImuNoise noise;
  noise.gyroscope = 2e-3;
  noise.accelerometer = 3e-2;
  noise.integration = 1e-3;
  const std::vector<Sample> samples = SomeSamples();
  const ImuPreintegration nominal = Integrate(samples, kBias, noise);
  // The sum over all numbers of all samples of the squared effect of one.
  Eigen::Matrix<double, 9, 9> covariance = Eigen::Matrix<double, 9, 9>::Zero();
  const double h = 1e-5;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (int k = 0; k < 6; ++k) {
      Vector9 effect = Vector9::Zero();
      for (double side : {1.0, -1.0}) {
        std::vector<Sample> moved = samples;
        (k < 3 ? moved[i].angular_velocity[k]
               : moved[i].specific_force[k - 3]) += side * h;
        effect +=
            side / (2.0 * h) * Difference(nominal, Integrate(moved, kBias));
      }
      const double density = k < 3 ? noise.gyroscope : noise.accelerometer;
      covariance +=
          density * density / samples[i].dt * effect * effect.transpose();
    }
  }
  covariance.diagonal().tail<3>().array() +=
      noise.integration * noise.integration * nominal.duration();
  EXPECT_LE((nominal.covariance() - covariance).norm(),
            1e-7 * covariance.norm());
  EXPECT_EQ(nominal.covariance(), nominal.covariance().transpose());
}

TEST(ImuPreintegration, BiasJacobianIsTheDerivative) {
  const std::vector<Sample> samples = SomeSamples();
  const ImuPreintegration nominal = Integrate(samples, kBias);
  const double h = 1e-5;
  for (int k = 0; k < 6; ++k) {
    const Vector9 numeric =
        (Difference(nominal, Integrate(samples, kBias + h * Vector6::Unit(k))) -
         Difference(nominal,
                    Integrate(samples, kBias - h * Vector6::Unit(k)))) /
        (2.0 * h);
    EXPECT_LE((nominal.bias_jacobian().col(k) - numeric).norm(), 1e-8);
  }
}

TEST(ImuPreintegration, CorrectionForTheBiasHasAnErrorOfSecondOrder) {
  const std::vector<Sample> samples = SomeSamples();
  const ImuPreintegration nominal = Integrate(samples, kBias);
  const Vector6 direction =
      (Vector6() << 1.0, -0.5, 0.8, 1.0, 2.0, -1.0).finished();
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const Vector6 bias = kBias + (i == 0 ? 0.02 : 0.01) * direction;
    const ImuPreintegration exact = Integrate(samples, bias);
    double q[4];
    Vector3 v, p, turn;
    nominal.Correct(bias.data(), q, v.data(), p.data());
    SO3::Minus(q, exact.rotation(), turn.data());
    errors[i] = turn.norm() + (v - exact.velocity()).norm() +
                (p - exact.position()).norm();
  }
  EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.2);
  EXPECT_LT(errors[1], 1e-3);
}

template <typename Pose>
void CheckImuFactor() {
  const GroupManifold<Pose> manifold;
  const ImuPreintegration measured = Integrate(SomeSamples(), kBias);
  const std::vector<double> pose_i =
      Element<Pose>({0.3, -0.9, 1.5, 1.0, 2.0, -0.5});
  const Vector3 velocity_i(1.0, -2.0, 0.3);
  // Another bias than that of the preintegration.
  const Vector6 bias =
      kBias + (Vector6() << 0.01, -0.02, 0.03, 0.1, 0.05, -0.2).finished();
  std::vector<double> pose_j(7);
  Vector3 velocity_j;
  measured.Predict<Pose>(pose_i.data(), velocity_i, bias, kGravity,
                         pose_j.data(), &velocity_j);
  const std::unique_ptr<CostFunction> cost(
      ImuFactor<Pose>::Create(measured, kGravity));
  Vector9 residuals;
  const double* blocks[5] = {pose_i.data(), velocity_i.data(), bias.data(),
                             pose_j.data(), velocity_j.data()};
  ASSERT_TRUE(cost->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_LE(residuals.norm(), 1e-8);

  // At this point, and at one with errors.
  const auto stored = [](const auto& v) {
    return std::vector<double>(v.data(), v.data() + v.size());
  };
  for (double size : {0.0, 1.0}) {
    std::vector<double> moved(7);
    const double delta[6] = {0.5 * size, -0.8 * size, 0.9 * size,
                             1.0 * size, 2.0 * size,  -1.0 * size};
    Pose::Plus(pose_j.data(), delta, moved.data());
    const std::vector<Block> all = {
        {pose_i, &manifold},
        {stored(velocity_i)},
        {stored(bias)},
        {moved, &manifold},
        {stored(Vector3(velocity_j + size * Vector3(1.0, -0.5, 2.0)))}};
    ExpectSameFunction(*cost,
                       AutoDiffCostFunction<ImuFactor<Pose>, 9, 7, 3, 6, 7, 3>(
                           new ImuFactor<Pose>(measured, kGravity)),
                       all, 1e-12);
    ExpectDerivatives(*cost, all, 1e-7);
  }
}

TEST(ImuFactor, VanishesAtThePredictionAndHasExactDerivatives) {
  CheckImuFactor<SE3>();
  CheckImuFactor<EigenSE3>();
}

TEST(ImuFactorDeathTest, NeedsMeasurements) {
  const ImuPreintegration empty(ImuNoise(), Vector6::Zero());
  EXPECT_DEATH(ImuFactor<SE3>(empty, kGravity), "Call Integrate before");
}

TEST(BiasWalkFactor, ScalesWithTheRootOfTime) {
  ImuNoise noise;
  noise.gyroscope_bias_walk = 0.1;
  noise.accelerometer_bias_walk = 0.5;
  const std::unique_ptr<CostFunction> cost(BiasWalkFactor::Create(noise, 4.0));
  const double bias_i[6] = {1, 2, 3, 4, 5, 6};
  const double bias_j[6] = {2, 2, 3, 4, 7, 6};
  const double* blocks[2] = {bias_i, bias_j};
  Vector6 residuals;
  ASSERT_TRUE(cost->Evaluate(blocks, residuals.data(), nullptr));
  EXPECT_LE((residuals - (Vector6() << 5, 0, 0, 0, 2, 0).finished()).norm(),
            1e-14);
}

}  // namespace
}  // namespace ceres::factors
