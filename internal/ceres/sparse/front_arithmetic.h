// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FRONT_ARITHMETIC_H_
#define CERES_INTERNAL_SPARSE_FRONT_ARITHMETIC_H_

#include "ceres/execution/execution.h"
#include "ceres/sparse/front_plan.h"

namespace ceres::internal {

// The numeric steps of one front (front_plan.h): F_s gets the entries A_s of
// the matrix, and is eliminated. T: double or float, the type of the factor.
// The columns and the update matrix have the layout of kernels/front_layout.h.

// Writes the entries of the front into its columns, which are zero. `values`
// are the block values, row-major.
template <typename T>
void AssembleColumns(const FrontPlan<T>& plan, const Front& front,
                     const double* values, T* columns);

// Returned by EliminateFront if all pivots are positive.
inline constexpr int kNoFailedPivot = -1;

// Overwrites columns = [F_pp | F_bp] with [L_pp | L_bp], and writes -L_bp
// L_bp' into `update`. Returns the first pivot of the front that is not
// positive, or kNoFailedPivot. Threads of `execution` share wide fronts; the
// bits do not depend on their number.
template <typename T>
[[nodiscard]] int EliminateFront(const Execution& execution, const Front& front,
                                 T* columns, T* update);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_FRONT_ARITHMETIC_H_
