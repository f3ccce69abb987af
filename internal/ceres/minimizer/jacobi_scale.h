// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_JACOBI_SCALE_H_
#define CERES_INTERNAL_MINIMIZER_JACOBI_SCALE_H_

#include "ceres/minimizer/minimizer_tuning.h"

namespace ceres::internal {

// The scale of a column of the Jacobian with this norm, which is not zero.
//
// 1 / (1 + norm) leaves columns below 1 as they are. The bound of the damping,
// min_lm_diagonal, would then be above the square of a small column, and damp
// it the more the larger the unit of its parameter is. With the default of
// min_lm_diagonal, a small column is damped as if its norm never fell below its
// first norm (More, The Levenberg-Marquardt Algorithm: Implementation and
// Theory, 1978).
inline double JacobiScale(double norm) {
  return norm < kSmallColumnNorm ? kSmallColumnNorm / norm : 1.0 / (1.0 + norm);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_JACOBI_SCALE_H_
