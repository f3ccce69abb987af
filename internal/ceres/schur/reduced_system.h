// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_REDUCED_SYSTEM_H_
#define CERES_INTERNAL_SCHUR_REDUCED_SYSTEM_H_

#include <memory>

#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// What is left to solve after elimination: S z = right hand side, of an
// eliminator whose Eliminate has just succeeded. Owns what it solves with.
class ReducedSystem {
 public:
  virtual ~ReducedSystem() = default;

  // z has the remaining columns' values, at least one. The summary's model cost
  // change is left to the caller.
  [[nodiscard]] virtual LinearSolverSummary Solve(
      const LinearSolver::SolveOptions& options, SchurEliminator* eliminator,
      double* z) = 0;

  // Borrows memory of the eliminator that will be given to Solve, before its
  // first elimination.
  virtual void ShareMemory(SchurEliminator* /*eliminator*/) {}
};

std::unique_ptr<ReducedSystem> CreateDenseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan);
// `plan` must outlive it.
std::unique_ptr<ReducedSystem> CreateSparseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_REDUCED_SYSTEM_H_
