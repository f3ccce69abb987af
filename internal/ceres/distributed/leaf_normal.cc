// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/leaf_normal.h"

#include <algorithm>

namespace ceres::internal {

LeafNormal::LeafNormal(const Execution& execution, const LeafSystem& leaf)
    : leaf_(leaf),
      is_empty_(leaf.num_residual_blocks() == 0),
      normal_(execution, *leaf.jacobian().structure),
      diagonal_(execution, *leaf.jacobian().structure),
      blocks_(execution, leaf.jacobian().structure->column_offset),
      rhs_(leaf.num_columns()),
      y_(leaf.num_columns()) {}

void LeafNormal::Update(const double* rank_damping, double* rank_rhs,
                        BlockDiagonalInverse* rank_blocks) {
  has_blocks_ = rank_blocks != nullptr;
  if (is_empty_) return;
  leaf_.LoadDamping(rank_damping, &damping_);
  diagonal_.Compute(leaf_.jacobian(), damping_.data(), rhs_.data(),
                    has_blocks_ ? &blocks_ : nullptr);
  std::copy_n(rhs_.data(), leaf_.num_private_columns(),
              rank_rhs + leaf_.first_private_column());
  for (int b = 0; has_blocks_ && b < leaf_.num_private_blocks(); ++b) {
    const int size = blocks_.block_size(b);
    std::copy_n(blocks_.block(b), size * size,
                rank_blocks->block(leaf_.first_private_block() + b));
  }
  normal_.Bind(leaf_.jacobian(), damping_.data());
}

void LeafNormal::CopyRemaining(double* values) const {
  if (is_empty_) return;
  const std::vector<int>& offset = leaf_.jacobian().structure->column_offset;
  for (int b = leaf_.num_private_blocks(); b < blocks_.num_blocks(); ++b) {
    const int size = blocks_.block_size(b);
    values = std::copy_n(rhs_.data() + offset[b], size, values);
    if (has_blocks_) {
      values = std::copy_n(blocks_.block(b), size * size, values);
    }
  }
}

void LeafNormal::Apply(const double* rank_x, double* rank_y,
                       double* remaining_y) {
  if (is_empty_) return;
  leaf_.LoadStep(rank_x, &x_);
  normal_.Apply(x_.data(), y_.data());
  std::copy_n(y_.data(), leaf_.num_private_columns(),
              rank_y + leaf_.first_private_column());
  std::copy(y_.begin() + leaf_.num_private_columns(), y_.end(), remaining_y);
}

}  // namespace ceres::internal
