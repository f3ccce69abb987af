// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_SOLVER_H_
#define CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_SOLVER_H_

#include <memory>

#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Creates the solver for structures that may have nothing to eliminate:
// DENSE_NORMAL_CHOLESKY and SPARSE_NORMAL_CHOLESKY, and with eliminated blocks
// the Schur solvers.
//
// J'J is gathered by rows (normal_equations.h) where that shares the work well.
// Otherwise, and for iterative methods, CreateSchurSolver forms it by chunks of
// rows. `structure` and `workspace` (null: none) must outlive the solver.
std::unique_ptr<LinearSolver> CreateNormalEquationsSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure,
    SolveWorkspace* workspace = nullptr);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_SOLVER_H_
