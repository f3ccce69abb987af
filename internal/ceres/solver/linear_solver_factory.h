// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_LINEAR_SOLVER_FACTORY_H_
#define CERES_INTERNAL_SOLVER_LINEAR_SOLVER_FACTORY_H_

#include <memory>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/solver.h"
#include "ceres/types.h"

namespace ceres::internal {

// This header is the only place that maps the user's options to a LinearSolver:
//
// clang-format off
//
//   linear_solver_type      eliminated       created by (header)
//   ----------------------  ---------------  ---------------------------------
//   DENSE_QR                -                CreateDenseQrSolver
//                                              (linear/dense_qr_solver.h)
//   DENSE_NORMAL_CHOLESKY   -                CreateNormalEquationsSolver
//   SPARSE_NORMAL_CHOLESKY  -                  (normal/normal_equations_solver.h)
//   SPARSE_NORMAL_CHOLESKY  -                CreateDynamicSparsitySolver
//     and dynamic_sparsity                     (normal/dynamic_sparsity_solver.h)
//   DENSE_SCHUR             lowest group or  CreateSchurSolver, by
//   SPARSE_SCHUR            independent set    CreateNormalEquationsSolver
//   ITERATIVE_SCHUR                            (schur/schur_solvers.h)
//   CGNR                    -                CreateCgnrSolver
//                                              (normal/cgnr_solver.h)
//
//   linear_solver_type  preconditioner_type    created by (header)
//   ------------------  ---------------------  -------------------------------
//   CGNR                IDENTITY, JACOBI       CreateCgnrSolver
//   CGNR                SUBSET                 CreateSubsetPreconditioner
//                                                (normal/subset_preconditioner.h)
//   ITERATIVE_SCHUR     all but SUBSET         CreateSchurSolver
//
// clang-format on
//
// Solver::Options::IsValid refuses all other combinations.

// A linear solver type with its preconditioner, which iterative linear solvers
// use.
struct LinearSolverChoice {
  LinearSolverType type = DENSE_QR;
  PreconditionerType preconditioner = IDENTITY;
};

// Returns the linear solver that takes the place of a Schur solver if there is
// nothing to eliminate: a Schur complement is then the matrix J'J itself.
//
//   SPARSE_SCHUR     SPARSE_NORMAL_CHOLESKY
//   DENSE_SCHUR      DENSE_QR
//   ITERATIVE_SCHUR  CGNR; a preconditioner other than IDENTITY becomes JACOBI
//
// Returns other linear solvers unchanged.
LinearSolverChoice WithoutElimination(LinearSolverChoice choice);

// Returns whether a linear solver works best on a Jacobian whose merged
// parameter blocks (evaluation/merged_columns.h) are one column block each:
// true for the linear solvers that form J'J or a Schur complement. Iterative
// linear solvers need the user's blocks for their preconditioners, and
// dynamic_sparsity needs them to find blocks of zeros.
bool WantsMergedColumns(const Solver::Options& options, LinearSolverType type);

// Returns whether a linear solver factors one sparse matrix, whose elimination
// order is computed when the linear solver is created: SPARSE_SCHUR, and
// SPARSE_NORMAL_CHOLESKY without dynamic_sparsity.
bool HasBlockOrder(const Solver::Options& options, LinearSolverType type);

// Returns whether matrices are factored in single precision, as
// use_mixed_precision_solves asks for. Sparse factorizations of SUITE_SPARSE
// are always in double precision.
bool FactorsInSinglePrecision(const Solver::Options& options);

// Returns the options of the linear solvers that form or apply normal
// equations: all types but DENSE_QR and CGNR.
SchurSolverOptions NormalEquationsOptions(const Solver::Options& options,
                                          LinearSolverChoice choice,
                                          std::vector<int> elimination_group);

// Creates the linear solver of a solve.
//
// structure: of the Jacobian; must outlive the linear solver.
// elimination_group: the group of each column block that is not eliminated, or
// empty if they are all in one group.
// subset_rows: the row blocks of the SUBSET preconditioner, ascending;
// otherwise empty.
// workspace: outlives the linear solver; null: the linear solver has memory of
// its own.
// block_order: null, or the elimination order of the column blocks that are not
// eliminated: to use, and where to return the one that is used. Only if
// HasBlockOrder, and without groups.
std::unique_ptr<LinearSolver> CreateLinearSolver(
    const Solver::Options& options, LinearSolverChoice choice,
    const Execution& execution, const BlockJacobianStructure& structure,
    std::vector<int> elimination_group, const std::vector<int>& subset_rows,
    SolveWorkspace* workspace, BlockOrder* block_order = nullptr);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_LINEAR_SOLVER_FACTORY_H_
