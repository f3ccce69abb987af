// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_MINUS_DERIVATIVE_H_
#define CERES_INTERNAL_MARGINALIZATION_MINUS_DERIVATIVE_H_

#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"

namespace ceres::internal {

// y_minus_x = Minus(y, x); y - x (size doubles) if the manifold is null. False:
// Minus failed.
bool Minus(const Manifold* manifold, int size, const double* y, const double* x,
           double* y_minus_x);

// derivative = d Minus(Plus(x, delta), x0) / d delta at delta = 0, square. The
// identity if x is x0 or the manifold is a SubsetManifold. Else, by column, the
// difference quotient
//
//   (-f(2h) + 8 f(h) - 8 f(-h) + f(-2h)) / 12 h     (error h^4 f'''''/30)
//
// with f(h) = Minus(Plus(x, h e_j), x0). The step h is 1e-3 times the least
// max(1, |x_i|) / max(1, |P_ij|) of the ambient coordinates i that tangent
// coordinate j moves, P the PlusJacobian: 1e-3 radian for a rotation, and 1e-3
// of the distance for a coordinate that is far away.
//
// False: a function of the manifold failed.
bool MinusDerivative(const Manifold& manifold, const double* x,
                     const double* x0, Matrix* derivative);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_MINUS_DERIVATIVE_H_
