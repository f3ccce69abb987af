// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_REDUCED_SYSTEM_H_
#define CERES_INTERNAL_SCHUR_REDUCED_SYSTEM_H_

#include <memory>

#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Solves the reduced system S z = b that elimination leaves. A reduced system
// owns its matrix and its factor, or registers regions of the workspace for
// them. Not thread-safe.
class ReducedSystem {
 public:
  virtual ~ReducedSystem() = default;

  // In phase kAssemble, after an Eliminate that succeeded. z has one value for
  // each remaining column, at least one. Does not set the model cost change of
  // the summary.
  [[nodiscard]] virtual LinearSolverSummary Solve(
      const LinearSolver::SolveOptions& options, SchurEliminator* eliminator,
      double* z) = 0;
};

std::unique_ptr<ReducedSystem> CreateDenseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan);
// `plan` and `workspace` (null: none) must outlive it. With the native
// factorization, the block values of S and the factor lie in the workspace.
std::unique_ptr<ReducedSystem> CreateSparseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan,
    SolveWorkspace* workspace);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_REDUCED_SYSTEM_H_
