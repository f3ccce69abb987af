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

// The product y = A x with a symmetric matrix whose upper triangle is stored by
// blocks. One thread gathers each block row of y, with its terms in column
// order: the bits do not depend on the number of threads. A block off the
// diagonal is read twice.
//
// `structure` must outlive this. Immutable; thread-safe.
class BlockSymmetricProduct {
 public:
  explicit BlockSymmetricProduct(const BlockSymmetricStructure& structure);

  // x and y have structure.size() values and do not overlap.
  void Apply(const Execution& execution, const double* values, const double* x,
             double* y) const;

 private:
  struct Mirrored {
    int row;    // block row of a stored block
    int entry;  // index of the stored block
  };
  const BlockSymmetricStructure& structure_;
  // Stored blocks above the diagonal, by block column.
  std::vector<int> first_mirrored_;  // by block column, +1
  std::vector<Mirrored> mirrored_;
  std::vector<int64_t> cumulative_cost_;  // by block row, +1
};

// z = B^-1 r for a block diagonal, symmetric matrix B. It keeps the inverses of
// the blocks: a product takes half the time of two triangular solves, and a
// preconditioner need not be backward stable.
//
// clang-format off
//     fill diagonal.block(b) for all b
//     diagonal.Invert()
//     diagonal.Apply(r, z)
// clang-format on
//
// Different threads may fill different blocks; Apply may run in several
// threads; otherwise not thread-safe.
class BlockDiagonalInverse final : public LinearOperator,
                                   private BlockwiseProduct {
 public:
  // block_offset: the scalar offset of each block, +1.
  BlockDiagonalInverse(const Execution& execution,
                       std::vector<int> block_offset);

  int num_blocks() const { return static_cast<int>(block_offset_.size()) - 1; }
  int block_size(int b) const {
    return block_offset_[b + 1] - block_offset_[b];
  }
  // Dense, ROW-major. Block b is at offsets()[b] of blocks(). After inversion
  // it is its whole inverse.
  const std::vector<int64_t>& offsets() const { return value_offset_; }
  double* blocks() { return values_.data(); }
  double* block(int b) { return values_.data() + value_offset_[b]; }
  const double* block(int b) const { return values_.data() + value_offset_[b]; }

  // Reads the lower triangles. Returns -1, or the first block that is not
  // positive definite.
  [[nodiscard]] int Invert();
  // Reads the upper triangles. A block that is not positive definite to working
  // precision is replaced by its diagonal, and an entry of the diagonal that is
  // not positive by one. So the inverse is always positive definite.
  void InvertOrReplace();

  // z and r do not overlap.
  void Apply(const double* r, double* z) const override;
  // The product with one block. r and z begin at this block.
  void ApplyBlock(int b, const double* r, double* z) const;
  int size() const override { return block_offset_.back(); }
  const BlockwiseProduct* blockwise() const override { return this; }

 private:
  const std::vector<int>& row_blocks() const override { return block_offset_; }
  void ApplyToBlocks(int begin, int end, const double* r,
                     double* z) const override;

  const Execution execution_;
  const std::vector<int> block_offset_;
  std::vector<int64_t> value_offset_ = {0};
  AlignedBuffer values_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_H_
