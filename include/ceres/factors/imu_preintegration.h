// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_IMU_PREINTEGRATION_H_
#define CERES_PUBLIC_FACTORS_IMU_PREINTEGRATION_H_

#include <cmath>
#include <string>

#include "Eigen/Core"
#include "ceres/factors/spatial_groups.h"
#include "ceres/internal/factor_data.h"

namespace ceres::factors {

// The noise of an inertial measurement unit, as in data sheets: densities of
// white noise, for each axis. All must be positive; only a BiasWalkFactor reads
// the bias walks.
struct ImuNoise {
  // The noise of angular velocities, rad / s / sqrt(Hz).
  double gyroscope = 1e-3;
  // The noise of accelerations, m / s^2 / sqrt(Hz).
  double accelerometer = 1e-2;
  // The noise of the rate of the gyroscope's bias, rad / s^2 / sqrt(Hz).
  double gyroscope_bias_walk = 1e-5;
  // The noise of the rate of the accelerometer's bias, m / s^3 / sqrt(Hz).
  double accelerometer_bias_walk = 1e-4;
  // The noise of the integrated position, m / s / sqrt(Hz). It stands for
  // motion between samples.
  double integration = 1e-4;
};

// The measurements of an inertial measurement unit between two times i and j,
// summed up in the frame of the body at time i. They do not depend on pose and
// velocity, so that nothing is integrated again when these change:
//
//   R = R_i^-1 R_j,   v = R_i^-1 (v_j - v_i - g t),
//   p = R_i^-1 (p_j - p_i - v_i t - g t^2 / 2),   t = t_j - t_i,
//
// with rotations R from body to world, positions p and velocities v in the
// world, and gravity g. A bias is [gyroscope, accelerometer], 6 numbers.
//
// Within a sample, angular velocity and acceleration are constant in the frame
// of the body. With theta = dt omega and alpha, both without bias, the update
// is exact for such motion:
//
//   p <- p + dt v + dt^2 R G_2(theta) alpha,   G_2 = int (1 - s) exp(s
//   [theta]x), v <- v + dt R G_1(theta) alpha,            G_1 = int exp(s
//   [theta]x), R <- R Exp(theta),
//
// with integrals over 0 <= s <= 1. Errors are a rotation on the right of R,
// then differences of v and p: 9 numbers. Their covariance is propagated to
// first order, and so are the derivatives by the bias. Forster, Carlone,
// Dellaert and Scaramuzza, "On-Manifold Preintegration for Real-Time
// Visual-Inertial Odometry", 2017, sections VI and VII; the integrals are an
// own derivation.
//
// Data that are not valid are an error and not a failed CHECK: Integrate
// returns false, and error() says which sample is wrong. The first error stays:
// later samples are refused, and no ImuFactor is created from a part of the
// motion.
//
// Thread safety: const functions may run at once.
class ImuPreintegration {
 public:
  // 3, 6 and 9 numbers, and matrices of such sizes.
  using Vector3 = Eigen::Vector3d;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Vector9 = Eigen::Matrix<double, 9, 1>;
  using Matrix9 = Eigen::Matrix<double, 9, 9>;
  using Matrix9x6 = Eigen::Matrix<double, 9, 6>;

  // Starts with no time and no motion. `bias` should be close to the bias that
  // the solver will find. A bias that is not finite, or a noise that is not
  // positive, is an error().
  ImuPreintegration(const ImuNoise& noise, const Vector6& bias)
      : noise_(noise), bias_(bias) {
    if (!internal::FactorData("ImuPreintegration")
             .Sigma("gyroscope", noise.gyroscope)
             .Sigma("accelerometer", noise.accelerometer)
             .Sigma("integration", noise.integration)
             .FiniteMatrix("bias", bias)
             .IsValid(&error_)) {
      bias_.setZero();
    }
    SO3::Identity(rotation_);
  }

  // Adds a sample: angular velocity in rad/s and specific force in m/s^2, both
  // in the frame of the body, for the next dt seconds. dt = 0, a repeated time
  // stamp, has no effect. Returns false after an error: values that are not
  // finite, or dt < 0, samples that are not in the order of time.
  bool Integrate(const Vector3& angular_velocity, const Vector3& specific_force,
                 double dt) {
    if (!Accepts(angular_velocity, specific_force, dt)) return false;
    ++num_samples_;
    if (dt == 0.0) return true;
    const Vector3 theta = dt * (angular_velocity - bias_.head<3>());
    const Vector3 alpha = specific_force - bias_.tail<3>();
    double c[7];
    internal::StumpffFunctions<7>(theta.squaredNorm(), c);
    const Matrix3 R = RotationMatrix();
    const Integral once(theta, alpha, 1.0, 2, c);
    const Integral twice(theta, alpha, 0.5, 3, c);

    // How errors before the sample and the sample change errors behind it.
    Matrix9 F = Matrix9::Identity();
    Matrix9x6 G = Matrix9x6::Zero();
    double turn[4];
    double back[9];
    RowMajor3 right_jacobian;
    SO3::Exp(theta.data(), turn);
    SO3::ToMatrix(turn, back);
    SO3::RightJacobian(theta.data(), right_jacobian.data());
    F.block<3, 3>(0, 0) = Eigen::Map<const RowMajor3>(back).transpose();
    F.block<3, 3>(3, 0) = -dt * R * Skew(once.value);
    F.block<3, 3>(6, 0) = -dt * dt * R * Skew(twice.value);
    F.block<3, 3>(6, 3).diagonal().setConstant(dt);
    G.block<3, 3>(0, 0) = dt * right_jacobian;
    G.block<3, 3>(3, 0) = dt * dt * R * once.by_theta;
    G.block<3, 3>(3, 3) = dt * R * once.by_alpha;
    G.block<3, 3>(6, 0) = dt * dt * dt * R * twice.by_theta;
    G.block<3, 3>(6, 3) = dt * dt * R * twice.by_alpha;

    Vector6 variances;
    variances << Vector3::Constant(noise_.gyroscope * noise_.gyroscope / dt),
        Vector3::Constant(noise_.accelerometer * noise_.accelerometer / dt);
    covariance_ = F * covariance_ * F.transpose() +
                  G * variances.asDiagonal() * G.transpose();
    covariance_.diagonal().tail<3>().array() +=
        noise_.integration * noise_.integration * dt;
    covariance_ = (0.5 * (covariance_ + covariance_.transpose())).eval();
    bias_jacobian_ = F * bias_jacobian_ - G;

    position_ += dt * velocity_ + dt * dt * (R * twice.value);
    velocity_ += dt * (R * once.value);
    double product[4];
    SO3::Compose(rotation_, turn, product);
    const double norm = Eigen::Map<Eigen::Vector4d>(product).norm();
    for (int i = 0; i < 4; ++i) rotation_[i] = product[i] / norm;
    duration_ += dt;
    return true;
  }

  // Empty, or what is wrong, with the index of the sample: 0 is the first call
  // of Integrate.
  const std::string& error() const { return error_; }
  // The samples that were added.
  int num_samples() const { return num_samples_; }

  // The time t in seconds.
  double duration() const { return duration_; }
  // R, a quaternion [w, x, y, z].
  const double* rotation() const { return rotation_; }
  // v, m/s.
  const Vector3& velocity() const { return velocity_; }
  // p, m.
  const Vector3& position() const { return position_; }
  // The bias that the measurements were integrated with.
  const Vector6& bias() const { return bias_; }
  // The noise of the sensor.
  const ImuNoise& noise() const { return noise_; }
  // The covariance of the errors of R, v, p.
  const Matrix9& covariance() const { return covariance_; }
  // The derivatives of R, v, p by the bias.
  const Matrix9x6& bias_jacobian() const { return bias_jacobian_; }

  // R, v and p for another bias, to first order in the difference. R is a
  // quaternion [w, x, y, z].
  template <typename T>
  void Correct(const T* bias, T* rotation, T* velocity, T* position) const {
    T difference[6];
    for (int i = 0; i < 6; ++i) difference[i] = bias[i] - T(bias_[i]);
    T change[9];
    for (int row = 0; row < 9; ++row) {
      change[row] = T(bias_jacobian_(row, 0)) * difference[0];
      // Accelerations do not turn the body.
      for (int col = 1; col < (row < 3 ? 3 : 6); ++col) {
        change[row] += T(bias_jacobian_(row, col)) * difference[col];
      }
    }
    T turn[4];
    T base[4];
    for (int i = 0; i < 4; ++i) base[i] = T(rotation_[i]);
    SO3::Exp(change, turn);
    SO3::Compose(base, turn, rotation);
    for (int i = 0; i < 3; ++i) {
      velocity[i] = T(velocity_[i]) + change[3 + i];
      position[i] = T(position_[i]) + change[6 + i];
    }
  }

  // Pose and velocity at time j from those at time i: start values for a solve.
  template <typename Pose = SE3>
  void Predict(const double* pose_i, const Vector3& velocity_i,
               const Vector6& bias, const Vector3& gravity, double* pose_j,
               Vector3* velocity_j) const {
    using Order = typename Pose::Rotation::QuaternionOrder;
    double q[4];
    Vector3 v, p, turned;
    Correct(bias.data(), q, v.data(), p.data());
    const auto stored = MakeQuaternion<Order>(q[0], q[1], q[2], q[3]);
    Pose::Rotation::Compose(pose_i, stored.data(), pose_j);
    Pose::Rotation::Act(pose_i, v.data(), turned.data());
    *velocity_j = velocity_i + duration_ * gravity + turned;
    Pose::Rotation::Act(pose_i, p.data(), turned.data());
    Eigen::Map<Vector3>(pose_j + 4) =
        Eigen::Map<const Vector3>(pose_i + 4) + duration_ * velocity_i +
        0.5 * duration_ * duration_ * gravity + turned;
  }

 private:
  using Matrix3 = Eigen::Matrix3d;

  bool Accepts(const Vector3& angular_velocity, const Vector3& specific_force,
               double dt) {
    if (!error_.empty()) return false;
    if (dt >= 0.0 && std::isfinite(dt) && angular_velocity.allFinite() &&
        specific_force.allFinite()) {
      return true;
    }
    const std::string sample =
        "ImuPreintegration, sample " + std::to_string(num_samples_);
    internal::FactorData data(sample.c_str());
    data.Finite("dt", dt)
        .FiniteMatrix("angular_velocity", angular_velocity)
        .FiniteMatrix("specific_force", specific_force);
    if (dt < 0.0) {
      data.Add("dt is " + std::to_string(dt) +
               ". Sort the samples by their time stamps.");
    }
    return data.IsValid(&error_);
  }
  using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

  static Matrix3 Skew(const Vector3& v) {
    Matrix3 result;
    result << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
    return result;
  }

  Matrix3 RotationMatrix() const {
    RowMajor3 R;
    SO3::ToMatrix(rotation_, R.data());
    return R;
  }

  // G alpha for G = a I + c_n W + c_{n+1} W^2, W = [theta]x, and its
  // derivatives. With d(W alpha) = -[alpha]x d(theta) and d(W^2 alpha) =
  // -([W alpha]x + W [alpha]x) d(theta), the coefficients add
  // 2 (c_n' W alpha + c_{n+1}' W^2 alpha) theta^T.
  struct Integral {
    Integral(const Vector3& theta, const Vector3& alpha, double a, int n,
             const double* c) {
      const Matrix3 W = Skew(theta);
      const Vector3 once = W * alpha;
      const Vector3 twice = W * once;
      by_alpha = a * Matrix3::Identity() + c[n] * W + c[n + 1] * (W * W);
      value = a * alpha + c[n] * once + c[n + 1] * twice;
      by_theta = -c[n] * Skew(alpha) -
                 c[n + 1] * (Skew(once) + W * Skew(alpha)) +
                 2.0 *
                     (internal::StumpffDerivative(n, c) * once +
                      internal::StumpffDerivative(n + 1, c) * twice) *
                     theta.transpose();
    }
    Vector3 value;
    Matrix3 by_alpha;
    Matrix3 by_theta;
  };

  ImuNoise noise_;
  Vector6 bias_;
  std::string error_;
  int num_samples_ = 0;
  double duration_ = 0.0;
  double rotation_[4];
  Vector3 velocity_ = Vector3::Zero();
  Vector3 position_ = Vector3::Zero();
  Matrix9 covariance_ = Matrix9::Zero();
  Matrix9x6 bias_jacobian_ = Matrix9x6::Zero();
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_IMU_PREINTEGRATION_H_
