// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SPARSE_INVERSE_H_
#define CERES_INTERNAL_SPARSE_SPARSE_INVERSE_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/front_plan.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// Computes blocks of A^-1 from the native factor of A. Blocks in the pattern of
// the factor are computed by Takahashi's equations (selected_inverse.h), other
// blocks by solves (inverse_solves.h). If solves for all blocks cost less, all
// blocks are computed by solves. The choice depends on structure and blocks
// alone, and the bits do not depend on the number of threads. Diagonal blocks
// are symmetric to the last bit.
//
// plan, columns: those of a NativeFactor.
void ComputeInverseBlocks(const Execution& execution,
                          const BlockSymmetricStructure& structure,
                          const FrontPlan<double>& plan, const double* columns,
                          const std::vector<InverseBlock>& blocks);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SPARSE_INVERSE_H_
