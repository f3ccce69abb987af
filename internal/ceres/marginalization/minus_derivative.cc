// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/minus_derivative.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/base/type_of.h"

namespace ceres::internal {
namespace {

constexpr double kRelativeStep = 1e-3;

double StepOf(const Matrix& plus_jacobian, const double* x, int j) {
  double scale = std::numeric_limits<double>::infinity();
  for (int i = 0; i < plus_jacobian.rows(); ++i) {
    const double derivative = std::abs(plus_jacobian(i, j));
    if (derivative == 0.0) continue;
    scale = std::min(scale,
                     std::max(1.0, std::abs(x[i])) / std::max(1.0, derivative));
  }
  return std::isfinite(scale) ? kRelativeStep * scale : kRelativeStep;
}

// Evaluates f(h) = Minus(Plus(x, h e_j), x0).
class MovedMinus {
 public:
  MovedMinus(const Manifold& manifold, const double* x, const double* x0)
      : manifold_(manifold),
        x_(x),
        x0_(x0),
        delta_(Vector::Zero(manifold.TangentSize())),
        moved_(manifold.AmbientSize()) {}

  bool operator()(int j, double h, Vector* value) {
    delta_[j] = h;
    value->resize(delta_.size());
    const bool ok = manifold_.Plus(x_, delta_.data(), moved_.data()) &&
                    manifold_.Minus(moved_.data(), x0_, value->data());
    delta_[j] = 0.0;
    return ok;
  }

 private:
  const Manifold& manifold_;
  const double* const x_;
  const double* const x0_;
  Vector delta_;
  Vector moved_;
};

}  // namespace

bool Minus(const Manifold* manifold, int size, const double* y, const double* x,
           double* y_minus_x) {
  if (manifold != nullptr) return manifold->Minus(y, x, y_minus_x);
  for (int i = 0; i < size; ++i) y_minus_x[i] = y[i] - x[i];
  return true;
}

bool MinusDerivative(const Manifold& manifold, const double* x,
                     const double* x0, Matrix* derivative) {
  const int n = manifold.TangentSize();
  const int size = manifold.AmbientSize();
  *derivative = Matrix::Identity(n, n);
  if (std::equal(x, x + size, x0) || HasType<SubsetManifold>(manifold)) {
    return true;
  }
  Matrix plus_jacobian(size, n);
  if (!manifold.PlusJacobian(x, plus_jacobian.data())) return false;
  MovedMinus f(manifold, x, x0);
  Vector far_ahead, ahead, behind, far_behind;
  for (int j = 0; j < n; ++j) {
    const double h = StepOf(plus_jacobian, x, j);
    if (!f(j, 2.0 * h, &far_ahead) || !f(j, h, &ahead) || !f(j, -h, &behind) ||
        !f(j, -2.0 * h, &far_behind)) {
      return false;
    }
    derivative->col(j) =
        ((far_behind - far_ahead) + 8.0 * (ahead - behind)) / (12.0 * h);
  }
  return true;
}

}  // namespace ceres::internal
