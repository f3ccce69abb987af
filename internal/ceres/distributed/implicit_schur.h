// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_IMPLICIT_SCHUR_H_
#define CERES_INTERNAL_DISTRIBUTED_IMPLICIT_SCHUR_H_

#include <memory>
#include <optional>
#include <vector>

#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/distributed/tree_sum.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/sparse/block_symmetric.h"

namespace ceres::internal {

// A Schur complement solver that does not form S: a product with S is a sum
// over leaves. Which Krylov method uses the product is up to derived classes.
class ImplicitSchur : public SchurOverRanks {
 public:
  // y = S x for the matrix of the last Solve. x and y: on all ranks.
  // Collective; throws what Agreement::Settle throws.
  virtual void Multiply(const double* x, double* y) = 0;

 protected:
  ImplicitSchur(const SchurSolverOptions& options, const RankParts& parts);

  // Solves S z = right_hand_side() after preparations, with z = 0. Collective.
  virtual LinearSolverSummary RunKrylov(const SolveOptions& options,
                                        double* z) = 0;

  // Adds up the products of the local leaves with x, which all ranks have, to
  // vector_sum(). Throws what Agreement::Settle throws. Collective.
  void MultiplyLeaves(const double* x);
  TreeSum& vector_sum() { return vector_sum_; }
  const std::vector<double>& right_hand_side() const { return rhs_; }
  // The inverse diagonal blocks of the whole reduced system, or null.
  const BlockDiagonalInverse* preconditioner() const {
    return inverse_ ? &*inverse_ : nullptr;
  }

  const SchurSolverOptions options_;

 private:
  Fault EliminateLeaves(const SolveOptions& options) override;
  LinearSolverSummary SolveReduced(const SolveOptions& options,
                                   double* z) override;
  void CopyDiagonal(LeafSystem& leaf);
  bool UpdatePreconditioner(LinearSolverSummary* summary);

  TreeSum vector_sum_;
  std::optional<TreeSum> diagonal_sum_;  // with a preconditioner
  std::vector<double> rhs_;
  std::vector<double> leaf_x_;
  std::vector<double> diagonal_values_;  // of the local leaves
  std::optional<BlockDiagonalInverse> inverse_;
};

// The methods. Collective. tolerance: the relative residual at which conjugate
// gradients end; negative: LinearSolver::SolveOptions decide.
std::unique_ptr<ImplicitSchur> CreateIterativeSchur(
    const SchurSolverOptions& options, double tolerance,
    const RankParts& parts);
// If the library has PETSc. tolerance: not negative.
std::unique_ptr<ImplicitSchur> CreatePetscShellSchur(
    const SchurSolverOptions& options, double tolerance,
    const RankParts& parts);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_IMPLICIT_SCHUR_H_
