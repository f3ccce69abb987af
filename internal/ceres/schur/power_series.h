// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_POWER_SERIES_H_
#define CERES_INTERNAL_SCHUR_POWER_SERIES_H_

#include <string>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/schur/schur_preconditioner.h"
#include "ceres/schur/schur_product.h"

namespace ceres::internal {

// The inverse of S as a power series of m + 1 terms (Weber, Demmel, Chan,
// Cremers, Power Bundle Adjustment for Large-Scale 3D Reconstruction, CVPR
// 2023, section 4):
//
// clang-format off
//     S = C - W        W = H'B^-1 H, positive semidefinite
//     N >= C           block diagonal
//
//     S^-1 = sum_i (I - N^-1 S)^i N^-1 = sum_i (N^-1 (N - S))^i N^-1
// clang-format on
//
// The paper has N = C. This requires that no row touches two remaining blocks.
// Here block a of N is block a of C times q, the largest number of remaining
// blocks that a row of a touches. By the Cauchy-Schwarz inequality
// |sum_a F_a x_a|^2 <= q sum_a |F_a x_a|^2, the eigenvalues t of N^-1 S lie in
// (0, 1] for every structure (own derivation). Hence the series converges, and
// with m + 1 terms it is symmetric and positive definite, with the eigenvalues
// (1 - (1 - t)^(m+1)) / t, as conjugate gradients require.
//
// A term costs a product with S and a pass over the blocks of N. Apply is not
// thread-safe.
class PowerSeriesPreconditioner final : public SchurPreconditioner {
 public:
  // plan.diagonal() is kNone or kSplit, so that the diagonal of C can be
  // assembled. `schur_complement` applies S; update it before Apply. `plan` and
  // `schur_complement` must outlive this. num_terms: m >= 1.
  PowerSeriesPreconditioner(const Execution& execution, const SchurPlan& plan,
                            const SchurProductOperator& schur_complement,
                            int num_terms);

  LinearSolverTermination Update(const SchurEliminator& eliminator,
                                 std::string* message) override;

  // The sum of all terms, a linear operator.
  void Apply(const double* x, double* y) const override;
  int size() const override { return diagonal_.size(); }

  // Like Apply, but stops when the norm of a term is less than `tolerance`
  // times the norm of the sum. Returns the number of terms after the first.
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
