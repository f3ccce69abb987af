// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/modelling/parameterization_manifold.h"

namespace ceres::internal {

ParameterizationManifold::~ParameterizationManifold() {
  if (ownership_ == TAKE_OWNERSHIP) delete parameterization_;
}

int ParameterizationManifold::AmbientSize() const {
  return parameterization_->GlobalSize();
}

int ParameterizationManifold::TangentSize() const {
  return parameterization_->LocalSize();
}

bool ParameterizationManifold::Plus(const double* x, const double* delta,
                                    double* x_plus_delta) const {
  return parameterization_->Plus(x, delta, x_plus_delta);
}

bool ParameterizationManifold::PlusJacobian(const double* x,
                                            double* jacobian) const {
  return parameterization_->ComputeJacobian(x, jacobian);
}

bool ParameterizationManifold::RightMultiplyByPlusJacobian(
    const double* x, const int num_rows, const double* ambient_matrix,
    double* tangent_matrix) const {
  return parameterization_->MultiplyByJacobian(x, num_rows, ambient_matrix,
                                               tangent_matrix);
}

bool ParameterizationManifold::Minus(const double* /*y*/, const double* /*x*/,
                                     double* /*y_minus_x*/) const {
  return false;
}

bool ParameterizationManifold::MinusJacobian(const double* /*x*/,
                                             double* /*jacobian*/) const {
  return false;
}

}  // namespace ceres::internal
