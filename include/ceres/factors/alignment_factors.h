// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_ALIGNMENT_FACTORS_H_
#define CERES_PUBLIC_FACTORS_ALIGNMENT_FACTORS_H_

#include <algorithm>
#include <string>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_cost_function.h"
#include "ceres/internal/factor_data.h"

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

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(const Eigen::Vector3d& body_point,
                              const Eigen::Vector3d& world_point,
                              const Eigen::Matrix3d& square_root_information,
                              std::string* error = nullptr) {
    if (!internal::FactorData("PointToPointFactor")
             .FiniteMatrix("body_point", body_point)
             .FiniteMatrix("world_point", world_point)
             .FiniteMatrix("square_root_information", square_root_information)
             .IsValid(error)) {
      return nullptr;
    }
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

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(const Eigen::Vector3d& body_point,
                              const Eigen::Vector3d& plane_point,
                              const Eigen::Vector3d& normal, double sigma,
                              std::string* error = nullptr) {
    if (!internal::FactorData("PointToPlaneFactor")
             .FiniteMatrix("body_point", body_point)
             .FiniteMatrix("plane_point", plane_point)
             .Direction("normal", normal.data())
             .Sigma("sigma", sigma)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<PointToPlaneFactor, 1, Pose::kAmbientSize>(
        new PointToPlaneFactor(body_point, plane_point, normal, sigma));
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

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(const double* hand_motion,
                              const double* sensor_motion,
                              const Matrix& square_root_information,
                              std::string* error = nullptr) {
    if (!internal::FactorData("HandEyeFactor")
             .template Element<Pose>("hand_motion", hand_motion)
             .template Element<Pose>("sensor_motion", sensor_motion)
             .FiniteMatrix("square_root_information", square_root_information)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<HandEyeFactor, 6, Pose::kAmbientSize>(
        new HandEyeFactor(hand_motion, sensor_motion, square_root_information));
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* sensor_in_hand, T* residuals) const {
    T hand[7];
    T sensor[7];
    T moved[7];
    T predicted[7];
    T error[6];
    internal::Convert(hand_, 7, hand);
    internal::Convert(sensor_, 7, sensor);
    Pose::Compose(hand, sensor_in_hand, moved);
    Pose::Between(sensor_in_hand, moved, predicted);
    Pose::Minus(predicted, sensor, error);
    internal::Whiten(W_, error, residuals);
    return true;
  }

 private:
  double hand_[7];
  double sensor_[7];
  Matrix W_;
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_ALIGNMENT_FACTORS_H_
