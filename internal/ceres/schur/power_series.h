// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_POWER_SERIES_H_
#define CERES_INTERNAL_SCHUR_POWER_SERIES_H_

#include <string>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/schur/schur_preconditioner.h"
#include "ceres/schur/schur_product.h"

namespace ceres::internal {

// The inverse of S as a power series (Weber, Demmel, Chan, Cremers, Power
// Bundle Adjustment for Large-Scale 3D Reconstruction, CVPR 2023, section 4),
// cut off after m terms behind the first:
//
//     S = C - W        W = F'E B^-1 E'F, positive semidefinite
//     N >= C           block diagonal
//
//     S^-1 = sum_i (I - N^-1 S)^i N^-1 = sum_i (N^-1 (N - S))^i N^-1
//
// The paper has N = C, which is block diagonal where no row touches two
// remaining blocks. Where rows do, block a of N is that of C times the most
// remaining blocks that a row of a touches: by the inequality of Cauchy and
// Schwarz, |sum_a F_a x_a|^2 <= q sum_a |F_a x_a|^2 for a row of q. So the
// eigenvalues of N^-1 S lie in (0, 1] whatever the structure, the series
// converges, and wherever it is cut off it is symmetric and positive definite
// (its eigenvalues are (1 - (1 - t)^(m+1)) / t), which conjugate gradients ask
// of a preconditioner.
//
// A term costs a product with S and a pass over the blocks of N.
class PowerSeriesPreconditioner final : public SchurPreconditioner {
 public:
  // `plan` must be able to assemble the diagonal of C (kNone or kSplit).
  // `schur_complement` applies S, must be updated before this is applied, and
  // outlive it, like `plan`. num_terms: m >= 1.
  PowerSeriesPreconditioner(const Execution& execution, const SchurPlan& plan,
                            const SchurProductOperator& schur_complement,
                            int num_terms);

  LinearSolverTermination Update(const SchurEliminator& eliminator,
                                 std::string* message) override;

  // All m terms: a linear operator.
  void Apply(const double* x, double* y) const override;
  int size() const override { return diagonal_.size(); }

  // As Apply, but leaves off where the norm of a term is less than `tolerance`
  // times that of the sum. Returns the number of terms behind the first.
  int Expand(double tolerance, const double* x, double* y) const;

 private:
  void AddTerm(double* y) const;

  const Execution execution_;
  const std::vector<int>& block_offset_;
  const SchurProductOperator& schur_complement_;
  const int num_terms_;
  BlockJacobiPreconditioner diagonal_;
  mutable AlignedBuffer term_;
  mutable AlignedBuffer product_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_POWER_SERIES_H_
