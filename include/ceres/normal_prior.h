// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_NORMAL_PRIOR_H_
#define CERES_PUBLIC_NORMAL_PRIOR_H_

#include "ceres/cost_function.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"
#include "ceres/internal/export.h"

namespace ceres {

// The cost 1/2 |A (x - b)|^2 on one parameter block x of size n: residuals
// A (x - b), Jacobian A. A is m x n with any m > 0.
//
// For A = S^{-1/2} this is, up to a constant, the negative logarithm of a
// normal distribution of x with mean b and covariance S. If A has fewer rows
// than columns, some directions of x are not constrained.
//
// Thread safety: immutable.
class CERES_EXPORT NormalPrior final : public CostFunction {
 public:
  // Checks that A has rows, and as many columns as b has values, at least one.
  NormalPrior(const Matrix& A, Vector b);

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  Matrix A_;
  Vector b_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_NORMAL_PRIOR_H_
