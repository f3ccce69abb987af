// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_ITERATIVE_REDUCED_SYSTEM_H_
#define CERES_INTERNAL_SCHUR_ITERATIVE_REDUCED_SYSTEM_H_

#include <memory>

#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Conjugate gradients on S z = right hand side. S is formed as a block-sparse
// matrix (explicit), or applied as C x - sum over points of U'(U x) (implicit;
// Agarwal et al., Bundle Adjustment in the Large, ECCV 2010, 3.2):
//
// clang-format off
//               once per solve               each iteration reads
//   explicit    a product for each pair of   the blocks of S
//               blocks that a point sees
//   implicit    nothing: elimination         U (e doubles for each column that
//               forms U                      a point sees), and C
// clang-format on
//
// Not thread-safe.
class IterativeReducedSystem {
 public:
  virtual ~IterativeReducedSystem() = default;

  // In phase kAssemble, after an Eliminate that succeeded. z has one value for
  // each remaining column, at least one. Does not set the model cost change of
  // the summary.
  [[nodiscard]] virtual LinearSolverSummary Solve(
      const LinearSolver::SolveOptions& options, SchurEliminator* eliminator,
      double* z) = 0;
};

// Makes a plan for the cheaper product; its matrix() says which. Counts the
// cost of each over a solve. The number of products is estimated from
// options.expected_q_tolerance and the bounds on iterations (schur_tuning.h).
// With options.explicit_schur_complement, S is always formed.
std::unique_ptr<SchurPlan> MakeIterativePlan(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

// `plan`: from MakeIterativePlan for the same options; it must outlive the
// system. The eliminator must keep U if plan.matrix() is kRemainingBlocks.
// CHECKs that options.preconditioner is a preconditioner for S.
std::unique_ptr<IterativeReducedSystem> CreateIterativeReducedSystem(
    const SchurSolverOptions& options, const Execution& execution,
    const SchurPlan& plan);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_ITERATIVE_REDUCED_SYSTEM_H_
