// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MODELLING_PARAMETERIZATION_MANIFOLD_H_
#define CERES_INTERNAL_MODELLING_PARAMETERIZATION_MANIFOLD_H_

#include "ceres/local_parameterization.h"
#include "ceres/manifold.h"

namespace ceres::internal {

// A user's LocalParameterization as the manifold that the problem needs. There
// is no Minus: it returns false. Solving does without.
class ParameterizationManifold final : public Manifold {
 public:
  // Refers to the parameterization, and deletes it in the end if it is owned.
  ParameterizationManifold(const LocalParameterization* parameterization,
                           Ownership ownership)
      : parameterization_(parameterization), ownership_(ownership) {}
  ParameterizationManifold(const ParameterizationManifold&) = delete;
  ParameterizationManifold& operator=(const ParameterizationManifold&) = delete;
  ~ParameterizationManifold() override {
    if (ownership_ == TAKE_OWNERSHIP) delete parameterization_;
  }

  int AmbientSize() const override { return parameterization_->GlobalSize(); }
  int TangentSize() const override { return parameterization_->LocalSize(); }
  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return parameterization_->Plus(x, delta, x_plus_delta);
  }
  bool PlusJacobian(const double* x, double* jacobian) const override {
    return parameterization_->ComputeJacobian(x, jacobian);
  }
  bool RightMultiplyByPlusJacobian(const double* x, const int num_rows,
                                   const double* ambient_matrix,
                                   double* tangent_matrix) const override {
    return parameterization_->MultiplyByJacobian(x, num_rows, ambient_matrix,
                                                 tangent_matrix);
  }
  bool Minus(const double*, const double*, double*) const override {
    return false;
  }
  bool MinusJacobian(const double*, double*) const override { return false; }

  const LocalParameterization* parameterization() const {
    return parameterization_;
  }

 private:
  const LocalParameterization* parameterization_;
  const Ownership ownership_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MODELLING_PARAMETERIZATION_MANIFOLD_H_
