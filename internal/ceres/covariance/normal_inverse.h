// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_NORMAL_INVERSE_H_
#define CERES_INTERNAL_COVARIANCE_NORMAL_INVERSE_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// Whatever the caller asks for, a pivot is too small below this: errors of the
// inverse are about eps over it, relative.
inline constexpr double kSmallestNormalPivot = 1e-10;

// Fills blocks of (J'J)^-1, by column blocks of J, from the native Cholesky
// factorization of J'J. Returns whether they may be trusted. Otherwise nothing
// has been written: a pivot, relative to the squared norm of its column, was
// less than smallest_pivot or kSmallestNormalPivot, or not positive.
//
// Pivots do not depend on how columns are scaled, and neither do the relative
// errors of a Cholesky factorization (Demmel, LAPACK Working Note 14, 1989).
// The same bits for every number of threads.
[[nodiscard]] bool InvertNormalMatrix(const Execution& execution,
                                      const BlockJacobian& jacobian,
                                      const double* squared_column_norms,
                                      double smallest_pivot,
                                      const std::vector<InverseBlock>& blocks);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_NORMAL_INVERSE_H_
