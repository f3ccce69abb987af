// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_BLOCK_DIAGONAL_PRECONDITIONER_H_
#define CERES_INTERNAL_SCHUR_BLOCK_DIAGONAL_PRECONDITIONER_H_

#include <cstdint>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/conjugate_gradients.h"

namespace ceres::internal {

// y = M^-1 x for a block diagonal, symmetric and positive definite M. It keeps
// the inverses of the blocks: a product takes half the time of two triangular
// solves, and a preconditioner need not be backward stable. Apply may run in
// several threads.
class BlockDiagonalPreconditioner final : public LinearOperator,
                                          private BlockwiseProduct {
 public:
  // block_offset: the first scalar of each block, +1.
  BlockDiagonalPreconditioner(const Execution& execution,
                              std::vector<int> block_offset);

  // To set M, write its blocks (row-major, block i at offsets()[i]), then call
  // Invert.
  const std::vector<int64_t>& offsets() const { return offset_; }
  double* blocks() { return blocks_.data(); }

  // Returns -1, or the first block that is not positive definite.
  [[nodiscard]] int Invert();

  void Apply(const double* x, double* y) const override;
  // The product with one block. x and y begin at this block.
  void ApplyBlock(int block, const double* x, double* y) const;
  int size() const override { return block_offset_.back(); }
  const BlockwiseProduct* blockwise() const override { return this; }

 private:
  const std::vector<int>& row_blocks() const override { return block_offset_; }
  void ApplyToBlocks(int begin, int end, const double* x,
                     double* y) const override;
  bool InvertBlock(int block);

  const Execution execution_;
  const std::vector<int> block_offset_;
  std::vector<int64_t> offset_ = {0};
  AlignedBuffer blocks_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_BLOCK_DIAGONAL_PRECONDITIONER_H_
