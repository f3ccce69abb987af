// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_SOLVER_H_
#define CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_SOLVER_H_

#include <memory>

#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Creates the solver of DENSE_NORMAL_CHOLESKY and SPARSE_NORMAL_CHOLESKY, for
// structures that have nothing to eliminate.
//
// The table lists the strategy that forms J'J. "even" means that
// NormalEquations::AreWorthGathering.
//
// clang-format off
//   structure                      method         strategy
//   even                           dense, sparse  gather by row
//     all of size 3 or 6, native   sparse         gather by row, into fronts
//   uneven                         dense, sparse  as SchurPlan chooses
// clang-format on
//
// `structure` and `workspace`, which may be null, must outlive the solver.
std::unique_ptr<LinearSolver> CreateNormalEquationsSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure,
    SolveWorkspace* workspace = nullptr);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_SOLVER_H_
