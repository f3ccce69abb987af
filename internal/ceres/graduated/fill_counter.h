// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_FILL_COUNTER_H_
#define CERES_INTERNAL_GRADUATED_FILL_COUNTER_H_

#include <vector>

#include "ceres/problem/problem_impl.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// Counts what a sparse Cholesky factorization of J'J costs, where J has the
// rows of some residual blocks of a problem. Counts depend on the structure
// alone: they are the same for every number of threads.
class FillCounter {
 public:
  // The problem is not read after construction.
  explicit FillCounter(const ProblemImpl& problem);

  // The multiplications with additions of a factorization after a minimum
  // degree ordering: sum_k c_k (c_k + 1) / 2 for columns of c_k scalars, the
  // diagonal included.
  double NumOperations(const std::vector<const ResidualBlock*>& blocks) const;

  // The scalars of the lower triangle of J'J.
  double NumEntries(const std::vector<const ResidualBlock*>& blocks) const;

 private:
  // J'J of these rows. A node is a column block.
  BlockSymmetricStructure Pattern(
      const std::vector<const ResidualBlock*>& blocks) const;

  // Parameter blocks that the same residual blocks have are one node. By index
  // of the parameter block; -1: it is constant.
  std::vector<int> node_;
  std::vector<int> node_size_;  // tangent coordinates
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_FILL_COUNTER_H_
