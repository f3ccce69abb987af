// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Cost functions of a visual-inertial window, with Jacobians by hand.
//
// A pose is a position and a quaternion x, y, z, w: from the body to the world.
// A speed block is a velocity in the world and the bias of the accelerometer.
// A pose is changed by a shift in the world and a rotation vector in the body.
// The Jacobians are by this change of six numbers: six columns of seven are
// used, and PlusJacobian is [I; 0]. Many estimators do so.

#ifndef VESTA_TESTS_CLIENTS_SLIDING_WINDOW_VIO_WINDOW_FACTORS_H_
#define VESTA_TESTS_CLIENTS_SLIDING_WINDOW_VIO_WINDOW_FACTORS_H_

#include <ceres/cost_function.h>
#include <ceres/manifold.h>
#include <ceres/sized_cost_function.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

namespace vio {

using Vector9d = Eigen::Matrix<double, 9, 1>;

const Eigen::Vector3d kGravity(0.0, 0.0, -9.81);

Eigen::Matrix3d CrossMatrix(const Eigen::Vector3d& v);
Eigen::Quaterniond TurnBy(const Eigen::Vector3d& rotation_vector);

class PoseManifold : public ceres::Manifold {
 public:
  int AmbientSize() const override { return 7; }
  int TangentSize() const override { return 6; }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override;
  bool PlusJacobian(const double* x, double* jacobian) const override;
  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override;
  bool MinusJacobian(const double* x, double* jacobian) const override;
};

// Rotation, velocity and position that the sensor integrates between two
// frames, and how the last two depend on the bias of the accelerometer.
struct Preintegration {
  void Add(const Eigen::Vector3d& gyroscope,
           const Eigen::Vector3d& accelerometer, double seconds);

  double seconds = 0.0;
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Matrix3d velocity_by_bias = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d position_by_bias = Eigen::Matrix3d::Zero();
};

// Blocks: pose and speed of a frame, pose and speed of the next.
class InertialError : public ceres::SizedCostFunction<12, 7, 6, 7, 6> {
 public:
  explicit InertialError(const Preintegration& measured)
      : measured_(measured) {}
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  Preintegration measured_;
};

// Blocks: pose of a frame, position of a landmark.
class BearingError : public ceres::SizedCostFunction<2, 7, 3> {
 public:
  BearingError(const Eigen::Vector2d& bearing, double sigma)
      : bearing_(bearing), weight_(1.0 / sigma) {}
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  Eigen::Vector2d bearing_;
  double weight_;
};

// The residual A (x - x0) + b of poses and speed blocks, which differ by size.
class LinearPrior : public ceres::CostFunction {
 public:
  LinearPrior(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
              const std::vector<std::vector<double>>& x0);
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_;
  std::vector<std::vector<double>> x0_;
};

}  // namespace vio

#endif  // VESTA_TESTS_CLIENTS_SLIDING_WINDOW_VIO_WINDOW_FACTORS_H_
