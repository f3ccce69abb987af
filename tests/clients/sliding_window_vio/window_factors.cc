// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "window_factors.h"

#include <cmath>

namespace vio {
namespace {

using ConstVector3 = Eigen::Map<const Eigen::Vector3d>;
using ConstQuaternion = Eigen::Map<const Eigen::Quaterniond>;
template <int kRows, int kCols>
using RowMajor = Eigen::Matrix<double, kRows, kCols, Eigen::RowMajor>;

// The inverse standard deviations of an InertialError.
constexpr double kPositionWeight = 500.0;
constexpr double kVelocityWeight = 200.0;
constexpr double kRotationWeight = 2000.0;
constexpr double kBiasWeight = 500.0;

// How 2 vec(q exp(d/2)) changes with d.
Eigen::Matrix3d RightDerivative(const Eigen::Quaterniond& q) {
  return q.w() * Eigen::Matrix3d::Identity() + CrossMatrix(q.vec());
}

}  // namespace

Eigen::Matrix3d CrossMatrix(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

Eigen::Quaterniond TurnBy(const Eigen::Vector3d& rotation_vector) {
  const double angle = rotation_vector.norm();
  if (angle < 1e-12) {
    const Eigen::Vector3d half = 0.5 * rotation_vector;
    return Eigen::Quaterniond(1.0, half.x(), half.y(), half.z());
  }
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, rotation_vector / angle));
}

bool PoseManifold::Plus(const double* x, const double* delta,
                        double* x_plus_delta) const {
  Eigen::Map<Eigen::Vector3d> p(x_plus_delta);
  Eigen::Map<Eigen::Quaterniond> q(x_plus_delta + 3);
  p = ConstVector3(x) + ConstVector3(delta);
  q = (ConstQuaternion(x + 3) * TurnBy(ConstVector3(delta + 3))).normalized();
  return true;
}

bool PoseManifold::PlusJacobian(const double*, double* jacobian) const {
  Eigen::Map<RowMajor<7, 6>>(jacobian).setIdentity();
  return true;
}

bool PoseManifold::Minus(const double* y, const double* x,
                         double* y_minus_x) const {
  const Eigen::AngleAxisd turn(ConstQuaternion(x + 3).conjugate() *
                               ConstQuaternion(y + 3));
  Eigen::Map<Eigen::Matrix<double, 6, 1>> difference(y_minus_x);
  difference.head<3>() = ConstVector3(y) - ConstVector3(x);
  difference.tail<3>() = turn.angle() * turn.axis();
  return true;
}

bool PoseManifold::MinusJacobian(const double*, double* jacobian) const {
  Eigen::Map<RowMajor<6, 7>>(jacobian).setIdentity();
  return true;
}

void Preintegration::Add(const Eigen::Vector3d& gyroscope,
                         const Eigen::Vector3d& accelerometer, double h) {
  const Eigen::Matrix3d middle =
      (turn * TurnBy(0.5 * h * gyroscope)).toRotationMatrix();
  const Eigen::Vector3d acceleration = middle * accelerometer;
  position += h * velocity + 0.5 * h * h * acceleration;
  position_by_bias += h * velocity_by_bias - 0.5 * h * h * middle;
  velocity += h * acceleration;
  velocity_by_bias -= h * middle;
  turn = (turn * TurnBy(h * gyroscope)).normalized();
  seconds += h;
}

bool InertialError::Evaluate(double const* const* parameters, double* residuals,
                             double** jacobians) const {
  const ConstVector3 p0(parameters[0]), v0(parameters[1]);
  const ConstVector3 p1(parameters[2]), v1(parameters[3]);
  const ConstVector3 bias0(parameters[1] + 3), bias1(parameters[3] + 3);
  const ConstQuaternion q0(parameters[0] + 3), q1(parameters[2] + 3);
  const double t = measured_.seconds;
  const Eigen::Matrix3d to_body =
      q0.conjugate().normalized().toRotationMatrix();
  const Eigen::Vector3d moved =
      to_body * (p1 - p0 - v0 * t - 0.5 * t * t * kGravity);
  const Eigen::Vector3d sped = to_body * (v1 - v0 - t * kGravity);
  const Eigen::Quaterniond between = q0.conjugate() * q1;
  const Eigen::Quaterniond error = measured_.turn.conjugate() * between;

  Eigen::Map<Eigen::Matrix<double, 12, 1>> r(residuals);
  r.segment<3>(0) = kPositionWeight * (moved - measured_.position -
                                       measured_.position_by_bias * bias0);
  r.segment<3>(3) = kVelocityWeight * (sped - measured_.velocity -
                                       measured_.velocity_by_bias * bias0);
  r.segment<3>(6) = kRotationWeight * 2.0 * error.vec();
  r.segment<3>(9) = kBiasWeight * (bias1 - bias0);
  if (jacobians == nullptr) return true;

  if (jacobians[0] != nullptr) {
    Eigen::Map<RowMajor<12, 7>> J(jacobians[0]);
    J.setZero();
    J.block<3, 3>(0, 0) = -kPositionWeight * to_body;
    J.block<3, 3>(0, 3) = kPositionWeight * CrossMatrix(moved);
    J.block<3, 3>(3, 3) = kVelocityWeight * CrossMatrix(sped);
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d unit = Eigen::Vector3d::Unit(k);
      const Eigen::Quaterniond by_unit =
          measured_.turn.conjugate() *
          Eigen::Quaterniond(0.0, unit.x(), unit.y(), unit.z()) * between;
      J.block<3, 1>(6, 3 + k) = -kRotationWeight * by_unit.vec();
    }
  }
  if (jacobians[1] != nullptr) {
    Eigen::Map<RowMajor<12, 6>> J(jacobians[1]);
    J.setZero();
    J.block<3, 3>(0, 0) = -kPositionWeight * t * to_body;
    J.block<3, 3>(0, 3) = -kPositionWeight * measured_.position_by_bias;
    J.block<3, 3>(3, 0) = -kVelocityWeight * to_body;
    J.block<3, 3>(3, 3) = -kVelocityWeight * measured_.velocity_by_bias;
    J.block<3, 3>(9, 3).diagonal().setConstant(-kBiasWeight);
  }
  if (jacobians[2] != nullptr) {
    Eigen::Map<RowMajor<12, 7>> J(jacobians[2]);
    J.setZero();
    J.block<3, 3>(0, 0) = kPositionWeight * to_body;
    J.block<3, 3>(6, 3) = kRotationWeight * RightDerivative(error);
  }
  if (jacobians[3] != nullptr) {
    Eigen::Map<RowMajor<12, 6>> J(jacobians[3]);
    J.setZero();
    J.block<3, 3>(3, 0) = kVelocityWeight * to_body;
    J.block<3, 3>(9, 3).diagonal().setConstant(kBiasWeight);
  }
  return true;
}

bool BearingError::Evaluate(double const* const* parameters, double* residuals,
                            double** jacobians) const {
  const ConstVector3 p(parameters[0]), landmark(parameters[1]);
  const Eigen::Matrix3d to_body =
      ConstQuaternion(parameters[0] + 3).conjugate().toRotationMatrix();
  const Eigen::Vector3d seen = to_body * (landmark - p);
  if (seen.z() < 0.05) return false;
  const double inverse = 1.0 / seen.z();
  Eigen::Map<Eigen::Vector2d> r(residuals);
  r = weight_ * (seen.head<2>() * inverse - bearing_);
  if (jacobians == nullptr) return true;

  Eigen::Matrix<double, 2, 3> by_seen;
  by_seen << inverse, 0.0, -seen.x() * inverse * inverse, 0.0, inverse,
      -seen.y() * inverse * inverse;
  by_seen *= weight_;
  if (jacobians[0] != nullptr) {
    Eigen::Map<RowMajor<2, 7>> J(jacobians[0]);
    J.setZero();
    J.block<2, 3>(0, 0) = -by_seen * to_body;
    J.block<2, 3>(0, 3) = by_seen * CrossMatrix(seen);
  }
  if (jacobians[1] != nullptr) {
    Eigen::Map<RowMajor<2, 3>> J(jacobians[1]);
    J = by_seen * to_body;
  }
  return true;
}

LinearPrior::LinearPrior(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                         const std::vector<std::vector<double>>& x0)
    : A_(A), b_(b), x0_(x0) {
  set_num_residuals(static_cast<int>(A.rows()));
  for (const std::vector<double>& block : x0) {
    mutable_parameter_block_sizes()->push_back(static_cast<int>(block.size()));
  }
}

bool LinearPrior::Evaluate(double const* const* parameters, double* residuals,
                           double** jacobians) const {
  Eigen::VectorXd change(A_.cols());
  for (std::size_t i = 0; i < x0_.size(); ++i) {
    const double* x = parameters[i];
    const double* x0 = x0_[i].data();
    const int at = 6 * static_cast<int>(i);
    const bool is_pose = x0_[i].size() == 7;
    change.segment<3>(at) = ConstVector3(x) - ConstVector3(x0);
    Eigen::Matrix3d derivative = Eigen::Matrix3d::Identity();
    if (is_pose) {
      Eigen::Quaterniond turn =
          ConstQuaternion(x0 + 3).conjugate() * ConstQuaternion(x + 3);
      if (turn.w() < 0.0) turn.coeffs() *= -1.0;
      change.segment<3>(at + 3) = 2.0 * turn.vec();
      derivative = RightDerivative(turn);
    } else {
      change.segment<3>(at + 3) = ConstVector3(x + 3) - ConstVector3(x0 + 3);
    }
    if (jacobians == nullptr || jacobians[i] == nullptr) continue;
    Eigen::Map<
        Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
        J(jacobians[i], A_.rows(), static_cast<int>(x0_[i].size()));
    J.setZero();
    J.leftCols(3) = A_.middleCols(at, 3);
    J.middleCols(3, 3) = A_.middleCols(at + 3, 3) * derivative;
  }
  Eigen::Map<Eigen::VectorXd>(residuals, A_.rows()) = A_ * change + b_;
  return true;
}

}  // namespace vio
