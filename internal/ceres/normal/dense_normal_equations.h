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

// Creates a solver of (J'J + D'D) step = -J'r by a dense Cholesky
// factorization. NormalEquations gathers the blocks of J'J, which are copied
// into the dense matrix. Requires at least one column and no eliminated blocks.
// `structure` must outlive the solver.
std::unique_ptr<LinearSolver> CreateDenseNormalEquationsSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_DENSE_NORMAL_EQUATIONS_H_
