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

// A preconditioner: a block diagonal matrix B, and the product with its
// inverse.
//
// clang-format off
//     fill diagonal.block(b) for all b
//     diagonal.Invert()
//     diagonal.Apply(r, z)
// clang-format on
//
// A block that is not positive definite to working precision is replaced by its
// diagonal, and an entry of the diagonal that is not positive by one. So the
// preconditioner is always symmetric positive definite. Different threads may
// fill different blocks; otherwise not thread-safe.
class BlockDiagonalInverse final : public LinearOperator {
 public:
  // block_offset: the scalar offset of each block, +1.
  BlockDiagonalInverse(const Execution& execution,
                       std::vector<int> block_offset);

  int num_blocks() const { return static_cast<int>(block_offset_.size()) - 1; }
  int block_size(int b) const {
    return block_offset_[b + 1] - block_offset_[b];
  }
  // Dense, ROW-major. The caller fills at least the upper triangle. After
  // Invert() the block is its whole inverse.
  double* block(int b) { return values_.data() + value_offset_[b]; }
  const double* block(int b) const { return values_.data() + value_offset_[b]; }

  void Invert();

  // z = B^-1 r. z and r do not overlap.
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
