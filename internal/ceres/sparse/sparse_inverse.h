// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SPARSE_INVERSE_H_
#define CERES_INTERNAL_SPARSE_SPARSE_INVERSE_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/sparse/front_plan.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// How blocks of A^-1 are computed from the factor of A = LL'.
enum class InverseMethod {
  // Blocks in the pattern of L by Takahashi's equations (selected_inverse.h),
  // the others by solves (inverse_solves.h). All by solves if that takes fewer
  // operations. Relative errors are about eps cond(L)^2.
  kFewestOperations,
  // All by solves: relative errors are about eps cond(L).
  kSolves,
};

// Fills blocks of A^-1, named by blocks of A. Diagonal blocks are symmetric to
// the last bit. The work depends on structure and blocks alone: the bits do not
// depend on the number of threads.
//
// block_offset: of A's blocks, +1. plan, columns: of the fronts, factored.
void ComputeInverseBlocks(const Execution& execution,
                          const std::vector<int>& block_offset,
                          const FrontPlan<double>& plan, const double* columns,
                          InverseMethod method,
                          const std::vector<InverseBlock>& blocks);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SPARSE_INVERSE_H_
