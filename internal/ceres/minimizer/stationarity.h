// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STATIONARITY_H_
#define CERES_INTERNAL_MINIMIZER_STATIONARITY_H_

#include "ceres/execution/execution.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Measures how far a point is from a stationary point, independently of the
// units of parameters and residuals, of the origin of the parameters, of the
// order of blocks and of the splitting of residual blocks.
//
// If tangent coordinate j alone moves, by t, the linear model of the cost is
//
//   m(t) = 1/2 |r + J_j t|^2,   m(0) - min m = 1/2 a_j^2,   a_j = |g_j| / |J_j|
//
// where J_j is a column of the Jacobian and g_j = J_j'r. The ratio a_j / |r| is
// the cosine of the angle between the residuals and the column, which MINPACK
// tests (J. More, B. Garbow, K. Hillstrom, User Guide for MINPACK-1, 1980).
// With bounds, t ends at the bound:
//
//   t = -g_j / J_j^2, clamped
//   kDecrease   a_j^2 = -2 g_j t - J_j^2 t^2    what the cost can lose
//   kChange     a_j = |J_j t|                   how far the residuals move
//
// Without bounds both are the same. Close to an active bound, kChange is
// proportional to the distance from the bound, as is the projected gradient;
// kDecrease to the square root of the distance.
//
// A manifold block with bounds moves by Plus of all its t, and the projection
// onto the bounds shortens a_j as much as it shortens the ambient motion.
//
// Returns the largest a_j: in units of the residuals, >= 0; NaN if a value is
// NaN. Columns that are zero are skipped.
//
// x: num_state() values, within the bounds. gradient, squared_column_norms:
// num_delta() values, evaluated at x.
enum class CoordinateMeasure { kDecrease, kChange };
double LargestCoordinateMove(const Execution& execution, const Program& program,
                             CoordinateMeasure measure, const double* x,
                             const double* gradient,
                             const double* squared_column_norms);

// Writes |J_j| |x_j| for all tangent coordinates j: the size of the change of
// the residuals if x_j is replaced by zero. A residual is, as a rule, a
// difference of terms of this size, so that their unit roundoff times this
// size bounds what can be known of it. The tangent coordinates of a manifold
// block take |x| of the block in place of |x_j|.
//
// sizes: num_delta() values.
void SizesOfTerms(const Execution& execution, const Program& program,
                  const double* x, const double* squared_column_norms,
                  double* sizes);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STATIONARITY_H_
