// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_JACOBIAN_STRUCTURE_H_
#define CERES_INTERNAL_EVALUATION_JACOBIAN_STRUCTURE_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The structure of a program's Jacobian, row chunks included. merged_column:
// the Jacobian's column block of each of the program's, ascending (see
// merged_columns.h). A row's cells follow in the order of its arguments, but
// for that of the eliminated one, which is the first. The same for every number
// of threads.
BlockJacobianStructure MakeJacobianStructure(
    const Execution& execution, const Program& program,
    const std::vector<int>& merged_column);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_JACOBIAN_STRUCTURE_H_
