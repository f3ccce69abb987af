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
//   DENSE_SCHUR             lowest group or  CreateSchurSolver
//   SPARSE_SCHUR            independent set    (schur/schur_solvers.h)
//   ITERATIVE_SCHUR
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

// The linear solver of a solve: what the user's options and the structure of
// the problem lead to. Computed once, by ChooseLinearMethod; whoever asks which
// linear solver runs reads it.
struct LinearMethod {
  enum class Kind {
    kDenseQr,
    kNormalEquations,
    kDynamicSparsity,
    kSchur,
    kCgnr,
  };
  Kind kind = Kind::kDenseQr;
  LinearSolverType type = DENSE_QR;  // for messages and the summary
  // The most tangent coordinates of merged parameter blocks
  // (evaluation/merged_columns.h) that are one column block of the Jacobian; 0
  // if none are merged. Any number if J'J or a Schur complement is factored.
  // ITERATIVE_SCHUR has a limit, because its preconditioners factor diagonal
  // blocks. CGNR needs the user's blocks for its preconditioners, and
  // dynamic_sparsity needs them to find blocks of zeros.
  int max_merged_size = 0;
  // Whether one sparse matrix is factored, whose elimination order is computed
  // when the linear solver is created.
  bool has_elimination_order = false;
  // Of all kinds: the preconditioner, the libraries, the limits of iterations.
  // Without elimination groups and block order, which the caller adds; a block
  // order needs has_elimination_order, and excludes groups.
  SchurSolverOptions system;
  // How the Jacobian is kept; not AUTO. The caller sets it, and
  // system.reads_from_source.
  JacobianStorage storage = JacobianStorage::DOUBLE;
  // The row blocks of the SUBSET preconditioner, ascending; the caller adds
  // them.
  std::vector<int> subset_rows;
};

// has_eliminated: false if the user's ordering leaves nothing to eliminate. A
// Schur complement is then the matrix J'J itself, and another linear solver
// takes the place of a Schur solver:
//
//   SPARSE_SCHUR     SPARSE_NORMAL_CHOLESKY
//   DENSE_SCHUR      DENSE_QR
//   ITERATIVE_SCHUR  CGNR; a preconditioner other than IDENTITY becomes JACOBI
LinearMethod ChooseLinearMethod(const Solver::Options& options,
                                bool has_eliminated);

// Returns whether matrices are factored in single precision, as
// use_mixed_precision_solves asks for. Sparse factorizations of SUITE_SPARSE
// are always in double precision.
bool FactorsInSinglePrecision(const Solver::Options& options);

// Creates the linear solver. structure: of the Jacobian; must outlive the
// linear solver. workspace: outlives the linear solver; null: the linear solver
// has memory of its own.
std::unique_ptr<LinearSolver> CreateLinearSolver(
    const LinearMethod& method, const Execution& execution,
    const BlockJacobianStructure& structure, SolveWorkspace* workspace);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_LINEAR_SOLVER_FACTORY_H_
