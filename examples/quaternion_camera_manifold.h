// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_QUATERNION_CAMERA_MANIFOLD_H_
#define VESTA_EXAMPLES_QUATERNION_CAMERA_MANIFOLD_H_

#include <algorithm>

#include "bal_problem.h"
#include "ceres/manifold.h"

namespace ceres::examples {

// The unit quaternions times R^6: a camera whose first four numbers are a
// quaternion w, x, y, z. A tangent vector is 3 numbers for the rotation, as in
// QuaternionManifold, then 6 that are added to the rest. Jacobians are block
// diagonal, row-major.
class QuaternionCameraManifold final : public Manifold {
 public:
  int AmbientSize() const final { return kAmbient; }
  int TangentSize() const final { return kTangent; }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const final {
    for (int k = 0; k < 6; ++k) x_plus_delta[4 + k] = x[4 + k] + delta[3 + k];
    return rotation_.Plus(x, delta, x_plus_delta);
  }

  bool PlusJacobian(const double* x, double* jacobian) const final {
    double rotation[4 * 3];
    if (!rotation_.PlusJacobian(x, rotation)) return false;
    std::fill_n(jacobian, kAmbient * kTangent, 0.0);
    for (int row = 0; row < 4; ++row) {
      std::copy_n(rotation + row * 3, 3, jacobian + row * kTangent);
    }
    for (int k = 0; k < 6; ++k) jacobian[(4 + k) * kTangent + 3 + k] = 1.0;
    return true;
  }

  bool Minus(const double* y, const double* x, double* y_minus_x) const final {
    for (int k = 0; k < 6; ++k) y_minus_x[3 + k] = y[4 + k] - x[4 + k];
    return rotation_.Minus(y, x, y_minus_x);
  }

  bool MinusJacobian(const double* x, double* jacobian) const final {
    double rotation[3 * 4];
    if (!rotation_.MinusJacobian(x, rotation)) return false;
    std::fill_n(jacobian, kTangent * kAmbient, 0.0);
    for (int row = 0; row < 3; ++row) {
      std::copy_n(rotation + row * 4, 4, jacobian + row * kAmbient);
    }
    for (int k = 0; k < 6; ++k) jacobian[(3 + k) * kAmbient + 4 + k] = 1.0;
    return true;
  }

 private:
  static constexpr int kAmbient = kQuaternionCameraSize;
  static constexpr int kTangent = kQuaternionCameraSize - 1;

  QuaternionManifold rotation_;
};

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_QUATERNION_CAMERA_MANIFOLD_H_
