// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_DYNAMIC_SPARSITY_SOLVER_H_
#define CERES_INTERNAL_NORMAL_DYNAMIC_SPARSITY_SOLVER_H_

#include <memory>

#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Creates a solver of normal equations for Jacobians most of whose entries are
// zero, in places that change from solve to solve (dynamic_sparsity). Example:
// a residual that may depend on any of a thousand control points, and depends
// on four. Each Solve drops the cells that are zero, splits column blocks of
// more than 8 columns into single columns, so that zeros inside them are
// dropped as well, and orders and factors the rest. The step equals the step of
// CreateNormalEquationsSolver up to rounding. Each Solve repeats the symbolic
// work.
//
// options: without elimination groups. structure: nothing to eliminate; it must
// outlive the solver.
std::unique_ptr<LinearSolver> CreateDynamicSparsitySolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_DYNAMIC_SPARSITY_SOLVER_H_
