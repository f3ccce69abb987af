// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_LEAF_NORMAL_H_
#define CERES_INTERNAL_DISTRIBUTED_LEAF_NORMAL_H_

#include <vector>

#include "ceres/distributed/leaf_system.h"
#include "ceres/normal/normal_operator.h"
#include "ceres/sparse/block_symmetric.h"

namespace ceres::internal {

// The normal equations of one leaf: its terms of J'J + D'D and of -J'r. Results
// for private columns go to rank vectors, results for remaining blocks to the
// caller, one block behind the other. For one thread at a time.
class LeafNormal {
 public:
  // leaf: must outlive this.
  LeafNormal(const Execution& execution, const LeafSystem& leaf);

  // Reads the Jacobian of the leaf. Writes the private part of -J'r, and of the
  // diagonal blocks if `rank_blocks` is not null. Keeps the damping.
  void Update(const double* rank_damping, double* rank_rhs,
              BlockDiagonalInverse* rank_blocks);
  // After Update. For each remaining block its part of -J'r, then, if diagonal
  // blocks were computed, its diagonal block, row-major.
  void CopyRemaining(double* values) const;
  // After Update. y = (J'J + D'D) x.
  void Apply(const double* rank_x, double* rank_y, double* remaining_y);

 private:
  const LeafSystem& leaf_;
  const bool is_empty_;  // no residual blocks
  NormalOperator normal_;
  NormalDiagonal diagonal_;
  BlockDiagonalInverse blocks_;
  bool has_blocks_ = false;
  std::vector<double> damping_;
  std::vector<double> rhs_;
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_LEAF_NORMAL_H_
