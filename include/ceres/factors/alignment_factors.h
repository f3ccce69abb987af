// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_ALIGNMENT_FACTORS_H_
#define CERES_PUBLIC_FACTORS_ALIGNMENT_FACTORS_H_

#include <algorithm>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_cost_function.h"

namespace ceres::factors {

// The distance of a point of the body, p, from a point of the world, q:
// W (x p - q). One block: the pose x of the body (7 numbers). W is the square
// root information of the distance, in the frame of the world.
template <typename Pose = SE3>
class PointToPointFactor {
 public:
  // p, q and W.
  PointToPointFactor(const Eigen::Vector3d& body_point,
                     const Eigen::Vector3d& world_point,
                     const Eigen::Matrix3d& square_root_information)
      : p_(body_point), q_(world_point), W_(square_root_information) {}

  // A cost function for Problem::AddResidualBlock, which takes it over.
  static CostFunction* Create(const Eigen::Vector3d& body_point,
                              const Eigen::Vector3d& world_point,
                              const Eigen::Matrix3d& square_root_information) {
    return new AutoDiffCostFunction<PointToPointFactor, 3, Pose::kAmbientSize>(
        new PointToPointFactor(body_point, world_point,
                               square_root_information));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* pose, T* residuals) const {
    const T point[3] = {T(p_[0]), T(p_[1]), T(p_[2])};
    T error[3];
    Pose::Act(pose, point, error);
    for (int i = 0; i < 3; ++i) error[i] -= T(q_[i]);
    internal::Whiten(W_, error, residuals);
    return true;
  }

 private:
  Eigen::Vector3d p_;
  Eigen::Vector3d q_;
  Eigen::Matrix3d W_;
};

// The distance of a point of the body, p, from a plane of the world through q
// with the unit normal n, in units of its standard deviation:
// n.(x p - q) / sigma. One block: the pose x of the body (7 numbers). Chen and
// Medioni, "Object Modeling by Registration of Multiple Range Images", 1992.
template <typename Pose = SE3>
class PointToPlaneFactor {
 public:
  // `normal` has unit length. `sigma` has the unit of the points.
  PointToPlaneFactor(const Eigen::Vector3d& body_point,
                     const Eigen::Vector3d& plane_point,
                     const Eigen::Vector3d& normal, double sigma)
      : p_(body_point),
        n_(normal * internal::InverseSigma(sigma)),
        offset_(n_.dot(plane_point)) {}

  // A cost function for Problem::AddResidualBlock, which takes it over.
  static CostFunction* Create(const Eigen::Vector3d& body_point,
                              const Eigen::Vector3d& plane_point,
                              const Eigen::Vector3d& normal, double sigma) {
    return new internal::FactorCostFunction<PointToPlaneFactor, 1,
                                            Pose::kAmbientSize>(
        PointToPlaneFactor(body_point, plane_point, normal, sigma));
  }

  // The residual.
  template <typename T>
  bool operator()(const T* pose, T* residuals) const {
    const T point[3] = {T(p_[0]), T(p_[1]), T(p_[2])};
    T moved[3];
    Pose::Act(pose, point, moved);
    residuals[0] = T(n_[0]) * moved[0] + T(n_[1]) * moved[1] +
                   T(n_[2]) * moved[2] - T(offset_);
    return true;
  }

  // The residual and its Jacobian, as CostFunction::Evaluate. With the normal m
  // in the frame of the body, a step (w, v) changes the distance by
  // (p x m).w + m.v, and the position by d changes it by n.d.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const {
    (*this)(parameters[0], residuals);
    if (jacobians == nullptr || jacobians[0] == nullptr) return true;
    double back[4];
    double m[3];
    double turn[3];
    Pose::Rotation::Inverse(parameters[0], back);
    Pose::Rotation::Act(back, n_.data(), m);
    internal::Cross(p_.data(), m, turn);
    Pose::Rotation::ToAmbientRow(parameters[0], turn, jacobians[0]);
    std::copy_n(n_.data(), 3, jacobians[0] + 4);
    return true;
  }

 private:
  Eigen::Vector3d p_;
  Eigen::Vector3d n_;  // Divided by sigma.
  double offset_;
};

// Hand-eye calibration A x = x B: the pose x of a sensor in the frame of the
// hand that carries it (7 numbers, the only block), from a motion A of the hand
// and the motion B of the sensor at the same time: W Log(B^-1 x^-1 A x). W is
// the square root information of B. A and B take the frame after the motion to
// the frame before it. Motions about at least two axes that are not parallel
// determine x. Tsai and Lenz, "A New Technique for Fully Autonomous and
// Efficient 3D Robotics Hand/Eye Calibration", 1989.
template <typename Pose = SE3>
class HandEyeFactor {
 public:
  // W: 6 x 6.
  using Matrix = Eigen::Matrix<double, 6, 6>;

  // Copies the 7 numbers of both motions.
  HandEyeFactor(const double* hand_motion, const double* sensor_motion,
                const Matrix& square_root_information)
      : W_(square_root_information) {
    std::copy_n(hand_motion, 7, hand_);
    std::copy_n(sensor_motion, 7, sensor_);
  }

  // A cost function for Problem::AddResidualBlock, which takes it over.
  static CostFunction* Create(const double* hand_motion,
                              const double* sensor_motion,
                              const Matrix& square_root_information) {
    return new internal::FactorCostFunction<HandEyeFactor, 6,
                                            Pose::kAmbientSize>(
        HandEyeFactor(hand_motion, sensor_motion, square_root_information));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* sensor_in_hand, T* residuals) const {
    T predicted[7];
    T error[6];
    PredictMotion(sensor_in_hand, predicted);
    T sensor[7];
    internal::Convert(sensor_, 7, sensor);
    Pose::Minus(predicted, sensor, error);
    internal::Whiten(W_, error, residuals);
    return true;
  }

  // The residuals and their Jacobian, as CostFunction::Evaluate. With
  // C = x^-1 A x, a step d of x changes C to C Exp(d - Adjoint(C^-1) d).
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const {
    double C[7];
    double error[6];
    PredictMotion(parameters[0], C);
    Pose::Minus(C, sensor_, error);
    internal::Whiten(W_, error, residuals);
    if (jacobians == nullptr || jacobians[0] == nullptr) return true;
    double back[7];
    RowMajor J;
    RowMajor adjoint;
    Pose::Inverse(C, back);
    Pose::Adjoint(back, adjoint.data());
    Pose::RightJacobianInverse(error, J.data());
    const RowMajor by_motion = W_ * J;
    const RowMajor by_tangent = by_motion - by_motion * adjoint;
    Pose::RightMultiplyByMinusJacobian(parameters[0], 6, by_tangent.data(),
                                       jacobians[0]);
    return true;
  }

 private:
  using RowMajor = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

  // x^-1 A x.
  template <typename T>
  void PredictMotion(const T* x, T* motion) const {
    T hand[7];
    T moved[7];
    internal::Convert(hand_, 7, hand);
    Pose::Compose(hand, x, moved);
    Pose::Between(x, moved, motion);
  }

  double hand_[7];
  double sensor_[7];
  Matrix W_;
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_ALIGNMENT_FACTORS_H_
