// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_TESTS_CLIENTS_INCREMENTAL_SFM_RIGID_MOTION_MANIFOLD_H_
#define VESTA_TESTS_CLIENTS_INCREMENTAL_SFM_RIGID_MOTION_MANIFOLD_H_

#include <ceres/manifold.h>
#include <ceres/rotation.h>

#include <Eigen/Core>

namespace sfm {

// A rotation is changed from the left by a rotation vector, and a translation
// by addition.
class RigidMotionManifold : public ceres::Manifold {
 public:
  int AmbientSize() const override { return 7; }
  int TangentSize() const override { return 6; }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    double turn[4];
    ceres::AngleAxisToQuaternion(delta, turn);
    ceres::QuaternionProduct(turn, x, x_plus_delta);
    for (int i = 0; i < 3; ++i) x_plus_delta[4 + i] = x[4 + i] + delta[3 + i];
    return true;
  }

  bool PlusJacobian(const double* x, double* jacobian) const override {
    Eigen::Map<Eigen::Matrix<double, 7, 6, Eigen::RowMajor>> J(jacobian);
    J.setZero();
    J.block<4, 3>(0, 0) = HalfTurns(x);
    J.block<3, 3>(4, 3).setIdentity();
    return true;
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    const double inverse[4] = {x[0], -x[1], -x[2], -x[3]};
    double turn[4];
    ceres::QuaternionProduct(y, inverse, turn);
    ceres::QuaternionToAngleAxis(turn, y_minus_x);
    for (int i = 0; i < 3; ++i) y_minus_x[3 + i] = y[4 + i] - x[4 + i];
    return true;
  }

  bool MinusJacobian(const double* x, double* jacobian) const override {
    Eigen::Map<Eigen::Matrix<double, 6, 7, Eigen::RowMajor>> J(jacobian);
    J.setZero();
    J.block<3, 4>(0, 0) = 4.0 * HalfTurns(x).transpose();
    J.block<3, 3>(3, 4).setIdentity();
    return true;
  }

 private:
  // Columns i q / 2, j q / 2, k q / 2.
  static Eigen::Matrix<double, 4, 3> HalfTurns(const double* q) {
    Eigen::Matrix<double, 4, 3> columns;
    columns << -q[1], -q[2], -q[3], q[0], q[3], -q[2], -q[3], q[0], q[1], q[2],
        -q[1], q[0];
    return 0.5 * columns;
  }
};

}  // namespace sfm

#endif  // VESTA_TESTS_CLIENTS_INCREMENTAL_SFM_RIGID_MOTION_MANIFOLD_H_
