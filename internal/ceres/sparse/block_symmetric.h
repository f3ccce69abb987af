// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_H_
#define CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_H_

#include <cstdint>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/conjugate_gradients.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// y = A x for a symmetric matrix whose upper triangle is stored by blocks. Each
// block row of y is gathered by one owner, its terms in column order, so that
// the bits do not depend on the number of threads; the price is that a block
// off the diagonal is read twice.
//
// The pattern is read once, at construction; `structure` must outlive this.
// Immutable; may be shared between threads.
class BlockSymmetricProduct {
 public:
  explicit BlockSymmetricProduct(const BlockSymmetricStructure& structure);

  // x and y have structure.size() values and do not overlap.
  void Apply(const Execution& execution, const double* values, const double* x,
             double* y) const;

 private:
  struct Mirrored {
    int row;    // block row of a stored block left of the diagonal's mirror
    int entry;  // its index among the stored blocks
  };
  const BlockSymmetricStructure& structure_;
  std::vector<int> first_mirrored_;  // by block row, +1
  std::vector<Mirrored> mirrored_;
  std::vector<int64_t> cumulative_cost_;  // by block row, +1
};

// A block-diagonal matrix B and the product with its inverse: a preconditioner.
//
//   for all b: fill diagonal.block(b);  diagonal.Invert();  diagonal.Apply(r,
//   z)
//
// Blocks that are not positive definite to working precision are replaced by
// their own diagonal, and what is not positive there by one: worse, but still a
// symmetric positive definite preconditioner.
// Not thread-safe while being filled by several threads into one block.
class BlockDiagonalInverse final : public LinearOperator {
 public:
  // block_offset: the scalar offset of each block, and the size at its end.
  BlockDiagonalInverse(const Execution& execution,
                       std::vector<int> block_offset);

  int num_blocks() const { return static_cast<int>(block_offset_.size()) - 1; }
  int block_size(int b) const {
    return block_offset_[b + 1] - block_offset_[b];
  }
  // Dense, ROW-major; only its upper triangle needs to be filled. After
  // Invert() it holds the inverse, whole.
  double* block(int b) { return values_.data() + value_offset_[b]; }
  const double* block(int b) const { return values_.data() + value_offset_[b]; }

  void Invert();

  // z = B^-1 r. They do not overlap.
  void Apply(const double* r, double* z) const override;
  int size() const override { return block_offset_.back(); }

 private:
  const Execution execution_;
  const std::vector<int> block_offset_;
  std::vector<int64_t> value_offset_;
  AlignedBuffer values_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_H_
