// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_JACOBIAN_STRUCTURE_H_
#define CERES_INTERNAL_EVALUATION_JACOBIAN_STRUCTURE_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Makes the structure of a program's Jacobian, row chunks included.
// merged_column: the column block of the Jacobian that each column block of the
// program is a part of, ascending (see merged_columns.h).
//
// The cell of the eliminated argument comes first in its row; the other cells
// are in the order of the arguments. The result does not depend on the number
// of threads.
BlockJacobianStructure MakeJacobianStructure(
    const Execution& execution, const Program& program,
    const std::vector<int>& merged_column);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_JACOBIAN_STRUCTURE_H_
