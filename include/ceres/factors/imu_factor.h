// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_IMU_FACTOR_H_
#define CERES_PUBLIC_FACTORS_IMU_FACTOR_H_

#include <cmath>
#include <string>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/imu_preintegration.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_cost_function.h"
#include "ceres/internal/factor_data.h"

namespace ceres::factors {

// Preintegrated measurements between two times i and j: 9 residuals, W times
// the errors of rotation, velocity and position,
//
//   Log(R^-1 R_i^-1 R_j),
//   R_i^-1 (v_j - v_i - g t) - v,
//   R_i^-1 (p_j - p_i - v_i t - g t^2 / 2) - p,
//
// with R, v and p corrected for the bias to first order, and W the square root
// information of their covariance. Five blocks: pose i (7 numbers, body to
// world), velocity i (3, in the world), bias (6: gyroscope, accelerometer),
// pose j (7), velocity j (3). `Pose` is SE3 or EigenSE3. If the bias moves far
// from the one of the preintegration, integrate again. Forster et al. 2017,
// equation 45.
template <typename Pose = SE3>
class ImuFactor {
 public:
  // `gravity` is in the world, m/s^2: (0, 0, -9.81) if z is up. Copies the
  // measurements. CHECKs what Create returns as an error.
  ImuFactor(const ImuPreintegration& measured, const Eigen::Vector3d& gravity)
      : measured_(measured), gravity_(gravity) {
    const std::string error = Whitening(measured, &W_);
    internal::CheckThat(error.empty(), "ImuFactor: ", error.c_str());
  }

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  // Errors: a sample that Integrate refused, no sample, gravity that is not
  // finite, and a covariance that is singular within rounding errors.
  static CostFunction* Create(const ImuPreintegration& measured,
                              const Eigen::Vector3d& gravity,
                              std::string* error = nullptr) {
    ImuPreintegration::Matrix9 W;
    if (!internal::FactorData("ImuFactor")
             .FiniteMatrix("gravity", gravity)
             .Add(Whitening(measured, &W))
             .IsValid(error)) {
      return nullptr;
    }
    return new internal::FactorCostFunction<ImuFactor, 9, 7, 3, 6, 7, 3>(
        ImuFactor(measured, gravity));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* pose_i, const T* velocity_i, const T* bias,
                  const T* pose_j, const T* velocity_j, T* residuals) const {
    Errors<T> e;
    Compare(pose_i, velocity_i, bias, pose_j, velocity_j, &e);
    internal::Whiten(W_, e.error, residuals);
    return true;
  }

  // The residuals and their Jacobians, as CostFunction::Evaluate.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const {
    Errors<double> e;
    Compare(parameters[0], parameters[1], parameters[2], parameters[3],
            parameters[4], &e);
    internal::Whiten(W_, e.error, residuals);
    if (jacobians == nullptr) return true;
    WritePoseJacobians(e, parameters, jacobians);
    WriteVelocityJacobians(parameters, jacobians);
    if (jacobians[2] != nullptr) {
      WriteBiasJacobian(e, parameters[2], jacobians[2]);
    }
    return true;
  }

 private:
  using Rotation = typename Pose::Rotation;
  using Vector3 = Eigen::Vector3d;
  using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  template <int cols>
  using Rows = Eigen::Matrix<double, 9, cols, Eigen::RowMajor>;

  // The square root information of the measurements. Returns an error, or an
  // empty string.
  static std::string Whitening(const ImuPreintegration& measured,
                               ImuPreintegration::Matrix9* W) {
    if (!measured.error().empty()) return measured.error();
    if (!(measured.duration() > 0.0)) {
      return "there is no sample with a duration. Call Integrate before.";
    }
    std::string error;
    if (SquareRootInformationFromCovariance<9>(measured.covariance(), W,
                                               &error)) {
      return "";
    }
    return error +
           " Here: integrate several samples, and raise the smallest noise "
           "density, above all ImuNoise::integration, or shorten a gap.";
  }

  template <typename T>
  struct Errors {
    T error[9];
    T between[4];   // R_i^-1 R_j.
    T velocity[3];  // R_i^-1 (v_j - v_i - g t).
    T position[3];  // R_i^-1 (p_j - p_i - v_i t - g t^2 / 2).
  };

  template <typename T>
  void Compare(const T* pose_i, const T* velocity_i, const T* bias,
               const T* pose_j, const T* velocity_j, Errors<T>* e) const {
    using Order = typename Rotation::QuaternionOrder;
    const double t = measured_.duration();
    T back[4], q[4], offset[3], v[3], p[3], difference[4];
    measured_.Correct(bias, q, v, p);
    const auto corrected = MakeQuaternion<Order>(q[0], q[1], q[2], q[3]);
    Rotation::Inverse(pose_i, back);
    Rotation::Compose(back, pose_j, e->between);
    for (int i = 0; i < 3; ++i) {
      offset[i] = velocity_j[i] - velocity_i[i] - T(t * gravity_[i]);
    }
    Rotation::Act(back, offset, e->velocity);
    for (int i = 0; i < 3; ++i) {
      offset[i] = pose_j[4 + i] - pose_i[4 + i] - velocity_i[i] * T(t) -
                  T(0.5 * t * t * gravity_[i]);
    }
    Rotation::Act(back, offset, e->position);
    Rotation::Between(corrected.data(), e->between, difference);
    Rotation::Log(difference, e->error);
    for (int i = 0; i < 3; ++i) {
      e->error[3 + i] = e->velocity[i] - v[i];
      e->error[6 + i] = e->position[i] - p[i];
    }
  }

  static RowMajor3 Skew(const double* v) {
    RowMajor3 result;
    result << 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0;
    return result;
  }

  static RowMajor3 MatrixOf(const double* q) {
    RowMajor3 R;
    Rotation::ToMatrix(q, R.data());
    return R;
  }

  // Steps (w, d) of the poses turn them by w, and move pose i by R_i d: then
  // only the position changes, by -d and by R_i^-1 R_j d.
  void WritePoseJacobians(const Errors<double>& e,
                          double const* const* parameters,
                          double** jacobians) const {
    if (jacobians[0] == nullptr && jacobians[3] == nullptr) return;
    RowMajor3 J;
    Rotation::RightJacobianInverse(e.error, J.data());
    const RowMajor3 between = MatrixOf(e.between);
    const Eigen::Matrix<double, 9, 3> turned = W_.template leftCols<3>() * J;
    Rows<6> by_tangent;
    if (jacobians[0] != nullptr) {
      by_tangent.template leftCols<3>() =
          W_.template middleCols<3>(3) * Skew(e.velocity) +
          W_.template rightCols<3>() * Skew(e.position) -
          turned * between.transpose();
      by_tangent.template rightCols<3>() = -W_.template rightCols<3>();
      Pose::RightMultiplyByMinusJacobian(parameters[0], 9, by_tangent.data(),
                                         jacobians[0]);
    }
    if (jacobians[3] != nullptr) {
      by_tangent.template leftCols<3>() = turned;
      by_tangent.template rightCols<3>() = W_.template rightCols<3>() * between;
      Pose::RightMultiplyByMinusJacobian(parameters[3], 9, by_tangent.data(),
                                         jacobians[3]);
    }
  }

  void WriteVelocityJacobians(double const* const* parameters,
                              double** jacobians) const {
    if (jacobians[1] == nullptr && jacobians[4] == nullptr) return;
    const RowMajor3 back = MatrixOf(parameters[0]).transpose();
    const Eigen::Matrix<double, 9, 3> by_velocity =
        W_.template middleCols<3>(3);
    if (jacobians[1] != nullptr) {
      Eigen::Map<Rows<3>> result(jacobians[1]);
      result =
          -(by_velocity + measured_.duration() * W_.template rightCols<3>()) *
          back;
    }
    if (jacobians[4] != nullptr) {
      Eigen::Map<Rows<3>> result(jacobians[4]);
      result = by_velocity * back;
    }
  }

  // A change d of the gyroscope's bias multiplies the error of the rotation by
  // Exp(-J_r(B (bias - bias_0)) B d) on the left, B = dR / d bias.
  void WriteBiasJacobian(const Errors<double>& e, const double* bias,
                         double* jacobian) const {
    const ImuPreintegration::Matrix9x6& B = measured_.bias_jacobian();
    const Vector3 turn =
        B.block<3, 3>(0, 0) *
        (Eigen::Map<const Vector3>(bias) - measured_.bias().template head<3>());
    RowMajor3 J;
    RowMajor3 left;
    Rotation::RightJacobian(turn.data(), J.data());
    Rotation::LeftJacobianInverse(e.error, left.data());
    const RowMajor3 by_gyroscope = left * J * B.block<3, 3>(0, 0);
    Eigen::Map<Rows<6>> result(jacobian);
    result = -W_.template rightCols<6>() * B.bottomRows<6>();
    result.template leftCols<3>() -= W_.template leftCols<3>() * by_gyroscope;
  }

  ImuPreintegration measured_;
  Vector3 gravity_;
  ImuPreintegration::Matrix9 W_;
};

// The change of the bias of an inertial measurement unit during t seconds:
// (b_j - b_i) / (walk sqrt(t)). Two blocks of 6: the bias at time i and at time
// j, [gyroscope, accelerometer].
class BiasWalkFactor {
 public:
  // `duration` is in seconds. CHECKs what Create returns as an error.
  BiasWalkFactor(const ImuNoise& noise, double duration) {
    for (int i = 0; i < 6; ++i) {
      weights_[i] = internal::InverseSigma(
          (i < 3 ? noise.gyroscope_bias_walk : noise.accelerometer_bias_walk) *
          std::sqrt(duration));
    }
  }

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  // Errors: a duration or a bias walk that is not positive. Biases that do not
  // walk are one block.
  static CostFunction* Create(const ImuNoise& noise, double duration,
                              std::string* error = nullptr) {
    if (!internal::FactorData("BiasWalkFactor")
             .Sigma("duration", duration)
             .Sigma("gyroscope_bias_walk", noise.gyroscope_bias_walk)
             .Sigma("accelerometer_bias_walk", noise.accelerometer_bias_walk)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<BiasWalkFactor, 6, 6, 6>(
        new BiasWalkFactor(noise, duration));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* bias_i, const T* bias_j, T* residuals) const {
    for (int i = 0; i < 6; ++i) {
      residuals[i] = T(weights_[i]) * (bias_j[i] - bias_i[i]);
    }
    return true;
  }

 private:
  double weights_[6];
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_IMU_FACTOR_H_
