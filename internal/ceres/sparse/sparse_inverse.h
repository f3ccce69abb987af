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

// Fills blocks of A^-1, by blocks of A, from the native factor of A: those in
// the pattern of the factor by Takahashi's equations (selected_inverse.h), the
// others, or all where they are so few that it is less work, by solves
// (inverse_solves.h). Blocks on the diagonal are symmetric to the last bit.
// Which way is taken depends on structure and blocks alone, and so the bits do
// not depend on the number of threads.
//
// plan, columns: of NativeFactor.
void ComputeInverseBlocks(const Execution& execution,
                          const BlockSymmetricStructure& structure,
                          const FrontPlan<double>& plan, const double* columns,
                          const std::vector<InverseBlock>& blocks);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SPARSE_INVERSE_H_
