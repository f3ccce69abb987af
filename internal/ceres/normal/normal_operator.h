// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_NORMAL_OPERATOR_H_
#define CERES_INTERNAL_NORMAL_NORMAL_OPERATOR_H_

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/sparse/block_symmetric.h"

namespace ceres::internal {

// y = (J'J + D'D) x without forming J'J, in one pass over the row blocks: J_i x
// is formed for each row block and multiplied by J_i' while the row block is in
// the cache. Costs 8 bytes and 4 operations for each entry of J. Row chunks add
// into partial sums (ColumnSumPlan), which are added up in order.
//
// Bind sets the Jacobian and the damping, which must outlive the calls of
// Apply. Not thread-safe.
class NormalOperator final : public LinearOperator {
 public:
  NormalOperator(const Execution& execution,
                 const BlockJacobianStructure& structure);

  // damping: D, num_columns values, or null.
  void Bind(const BlockJacobian& jacobian, const double* damping);

  void Apply(const double* x, double* y) const override;
  int size() const override { return structure_.num_columns(); }

 private:
  void ApplyRowChunk(int row_chunk, const double* x) const;
  int AddProductOfCells(int c, int end, const double* row_block, int m,
                        const double* x, double* t) const;
  int AddTransposedProductOfCells(int c, int end, const double* row_block,
                                  int m, const double* t) const;

  const Execution execution_;
  const BlockJacobianStructure& structure_;
  const ColumnSumPlan plan_;
  mutable AlignedBuffer partial_sums_;
  const BlockJacobian* jacobian_ = nullptr;
  const double* damping_ = nullptr;
};

// -J'r and the diagonal blocks of J'J + D'D, in one pass over the cells by
// columns. One thread gathers a column block, in row order. Compute is
// thread-safe.
class NormalDiagonal {
 public:
  NormalDiagonal(const Execution& execution,
                 const BlockJacobianStructure& structure);

  // right_hand_side: num_columns values. blocks: null, or the inverse whose
  // blocks are written (upper triangles) and not inverted yet.
  void Compute(const BlockJacobian& jacobian, const double* damping,
               double* right_hand_side, BlockDiagonalInverse* blocks) const;

 private:
  void ComputeColumn(int b, const BlockJacobian& jacobian,
                     const double* damping, double* right_hand_side,
                     double* block) const;

  const Execution execution_;
  const BlockJacobianStructure& structure_;
  const CellsByColumn columns_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_NORMAL_OPERATOR_H_
