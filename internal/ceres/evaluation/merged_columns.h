// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_MERGED_COLUMNS_H_
#define CERES_INTERNAL_EVALUATION_MERGED_COLUMNS_H_

#include <vector>

#include "ceres/problem/program.h"

namespace ceres::internal {

// Finds merged parameter blocks: neighbouring column blocks that always occur
// together (x, y and yaw of a pose; its position and its rotation; the parts of
// a camera). The Jacobian has one column block for all of them. This makes J'J
// cheaper: the work for each block of J'J exceeds the work for its entries.
//
// Result: a partition of the program's column blocks. Merged block j consists
// of the column blocks [result[j], result[j + 1]). Two neighbours are merged if
// the same rows touch both, neither is eliminated, they have the same number in
// `group` (by column block that is not eliminated; null: all have the same),
// and the merged block has at most max_size tangent coordinates. The result
// depends on the structure alone. Linear time.
//
// Source: such blocks are indistinguishable nodes of the graph of a sparse
// factorization (Ashcraft, Compressed Graphs and the Minimum Degree Algorithm,
// SIAM J. Scientific Computing 16, 1995).
std::vector<int> FindMergedColumns(const Program& program,
                                   const std::vector<int>* group, int max_size);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_MERGED_COLUMNS_H_
