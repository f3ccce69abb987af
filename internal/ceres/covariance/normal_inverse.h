// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_NORMAL_INVERSE_H_
#define CERES_INTERNAL_COVARIANCE_NORMAL_INVERSE_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// Relative pivots below this are too small, whatever the caller asks for:
// relative errors of the inverse are about eps over the smallest one.
inline constexpr double kSmallestNormalPivot = 1e-10;

// Fills blocks of (J'J)^-1, named by column blocks of J, from the native
// Cholesky factorization of J'J. Returns false, and writes nothing, if J'J is
// not positive definite or if a relative pivot is less than smallest_pivot or
// kSmallestNormalPivot. A relative pivot is a pivot divided by the squared norm
// of its column.
//
// Relative pivots do not depend on how columns are scaled. Neither do the
// relative errors of a Cholesky factorization (Demmel, LAPACK Working Note 14,
// 1989). The bits do not depend on the number of threads.
[[nodiscard]] bool InvertNormalMatrix(const Execution& execution,
                                      const BlockJacobian& jacobian,
                                      const double* squared_column_norms,
                                      double smallest_pivot,
                                      const std::vector<InverseBlock>& blocks);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_NORMAL_INVERSE_H_
