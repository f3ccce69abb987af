// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_STRUCTURAL_RANK_H_
#define CERES_INTERNAL_DIAGNOSIS_STRUCTURAL_RANK_H_

#include <cstdint>

#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// The largest rank of a matrix with these cells, whatever their values: the
// maximum flow from row blocks to column blocks along cells, where a row block
// has as much as it has rows, and a column block takes as many as it has
// columns.
//
// Method: a greedy flow, then shortest augmenting paths, phase by phase (Dinic
// 1970).
std::int64_t StructuralRank(const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_STRUCTURAL_RANK_H_
