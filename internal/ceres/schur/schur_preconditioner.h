// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_PRECONDITIONER_H_
#define CERES_INTERNAL_SCHUR_SCHUR_PRECONDITIONER_H_

#include <string>
#include <vector>

#include "ceres/linear/conjugate_gradients.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"
#include "ceres/sparse/block_symmetric.h"

namespace ceres::internal {

// An approximation of S^-1, symmetric and positive definite. Apply is not
// thread-safe.
//
// The plan limits what Update may read (SchurEliminator::AssembleDiagonal).
// MakeIterativePlan (iterative_reduced_system.h) makes the plan, and must know
// each preconditioner that reads diagonal blocks of C or S.
class SchurPreconditioner : public LinearOperator {
 public:
  // Reads the values of the eliminator's last Eliminate. On failure, `message`
  // names the block and the reason.
  [[nodiscard]] virtual LinearSolverTermination Update(
      const SchurEliminator& eliminator, std::string* message) = 0;
};

// The inverse of the diagonal blocks of C (JACOBI) or of S (SCHUR_JACOBI), each
// block multiplied by a factor before it is inverted.
class BlockJacobiPreconditioner final : public SchurPreconditioner {
 public:
  // `plan` must outlive this and satisfy SchurEliminator::AssembleDiagonal.
  // factors: by remaining block; empty: ones.
  BlockJacobiPreconditioner(const Execution& execution, const SchurPlan& plan,
                            SchurEliminator::Diagonal diagonal,
                            std::vector<double> factors = {});

  LinearSolverTermination Update(const SchurEliminator& eliminator,
                                 std::string* message) override;
  void Apply(const double* x, double* y) const override {
    inverse_.Apply(x, y);
  }
  int size() const override { return inverse_.size(); }
  const BlockwiseProduct* blockwise() const override {
    return inverse_.blockwise();
  }

  const BlockDiagonalInverse& inverse() const { return inverse_; }

 private:
  void Scale();

  const Execution execution_;
  const SchurPlan& plan_;
  const SchurEliminator::Diagonal diagonal_;
  const std::vector<double> factors_;
  BlockDiagonalInverse inverse_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_PRECONDITIONER_H_
