// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_SCHUR_OVER_RANKS_H_
#define CERES_INTERNAL_DISTRIBUTED_SCHUR_OVER_RANKS_H_

#include <memory>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/reduced_choice.h"
#include "ceres/distributed/solver_over_ranks.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// A Schur complement solver over ranks. With one term for each leaf l,
//
//     S = sum_l S_l,    b = sum_l b_l,    S z = b
//
// where S_l = C_l - H_l' B_l^-1 H_l is what elimination of the leaf's private
// blocks leaves (schur_plan.h). A solve is
//
// clang-format off
//     each rank   eliminates the private blocks of its leaves
//     all ranks   form the sum over leaves (tree_sum.h)
//     the root    solves S z = b                             direct methods
//     all ranks   conjugate gradients; a product with S is
//                 a sum over leaves                          iterative method
//     each rank   computes the private blocks of its leaves
// clang-format on
//
// The jacobian that Solve is given is not read: leaves have their own. Solve is
// collective.
class SchurOverRanks : public SolverOverRanks {
 public:
  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options, double* step) final;

 protected:
  explicit SchurOverRanks(const RankParts& parts);

  // Eliminates the private blocks of all local leaves, and does with each leaf
  // what its elimination is for. Throws Stopped.
  virtual Fault EliminateLeaves(const SolveOptions& options) = 0;
  // After all ranks have eliminated. Writes z, the size of the reduced system,
  // on all ranks. Collective.
  virtual LinearSolverSummary SolveReduced(const SolveOptions& options,
                                           double* z) = 0;

 private:
  LinearSolverSummary BackSubstitute(LinearSolverSummary summary, double* step);

  std::vector<double> z_;
};

// Creates the Schur complement solver of the options. Collective.
std::unique_ptr<SolverOverRanks> CreateSchurOverRanks(
    const distributed::Options& options, const ReducedChoice& before,
    const RankParts& parts);

// The methods that form S; for the others see implicit_schur.h. Collective.
// pattern: of S (block_pattern.h).
std::unique_ptr<SchurOverRanks> CreateGatheredSchur(
    const SchurSolverOptions& options, const BlockSymmetricStructure& pattern,
    const RankParts& parts);
// If the library has PETSc. solver: one of PETSc's.
std::unique_ptr<SchurOverRanks> CreatePetscSchur(
    const distributed::Options& options, distributed::ReducedSolver solver,
    const BlockSymmetricStructure& pattern, const RankParts& parts);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_SCHUR_OVER_RANKS_H_
