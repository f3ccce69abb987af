// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_ROW_GROUPS_H_
#define CERES_INTERNAL_MARGINALIZATION_ROW_GROUPS_H_

#include <vector>

#include "ceres/linearization/linearization_data.h"
#include "ceres/marginalization/row_elimination.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// The order of parameter blocks in the problem.
inline bool IndexLess(const ParameterBlock* a, const ParameterBlock* b) {
  return a->index() < b->index();
}

// One group for each row block of a linearization. Blocks of a group are column
// blocks of the linearization.
std::vector<RowGroup> RowGroupsOf(const LinearizationData& data);

// The number of pairs of `blocks`, which are in the problem's order, that are
// arguments of one residual block.
int CountCoupledPairs(const std::vector<ResidualBlock*>& residual_blocks,
                      const std::vector<ParameterBlock*>& blocks);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_ROW_GROUPS_H_
