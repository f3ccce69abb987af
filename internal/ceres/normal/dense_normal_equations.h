// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_DENSE_NORMAL_EQUATIONS_H_
#define CERES_INTERNAL_NORMAL_DENSE_NORMAL_EQUATIONS_H_

#include <memory>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Solves (J'J + D'D) step = -J'r by a dense Cholesky factorization: blocks that
// NormalEquations gather, copied to where the factorization reads them. Nothing
// is eliminated, and there is a column.
std::unique_ptr<LinearSolver> CreateDenseNormalEquationsSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_DENSE_NORMAL_EQUATIONS_H_
