// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_DYNAMIC_SPARSITY_SOLVER_H_
#define CERES_INTERNAL_NORMAL_DYNAMIC_SPARSITY_SOLVER_H_

#include <memory>

#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Normal equations of Jacobians most of whose entries are zero, which ones
// changing from solve to solve (dynamic_sparsity): a residual that could touch
// any of a thousand control points but touches four. Each Solve drops the cells
// that are all zero, splits column blocks of more than 8 columns into single
// columns, so that zeros inside them can be dropped as well, and orders and
// factors what is left. The step is that of CreateNormalEquationsSolver to
// rounding; the symbolic work is done every time.
//
// options: without elimination groups. structure: nothing to eliminate.
std::unique_ptr<LinearSolver> CreateDynamicSparsitySolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_DYNAMIC_SPARSITY_SOLVER_H_
