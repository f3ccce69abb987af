// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_MERGED_COLUMNS_H_
#define CERES_INTERNAL_EVALUATION_MERGED_COLUMNS_H_

#include <vector>

#include "ceres/problem/program.h"

namespace ceres::internal {

// Parameter blocks that always occur together (x, y and yaw of a pose; its
// position and its rotation; the parts of a camera), found so that the Jacobian
// can have one column block for all of them: what is done for each block of
// J'J costs more than what is done for its entries. In the graph of a sparse
// factorization such blocks are indistinguishable (Ashcraft, Compressed Graphs
// and the Minimum Degree Algorithm, SIAM J. Scientific Computing 16, 1995).
//
// A partition of the program's column blocks into runs of neighbours: run j is
// [result[j], result[j + 1]). Two neighbours are in one run if the same rows
// touch both, neither is eliminated, and `group` (null, or a number for each
// block that is not eliminated) is the same. A function of the structure alone;
// linear time.
std::vector<int> FindMergedColumns(const Program& program,
                                   const std::vector<int>* group);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_MERGED_COLUMNS_H_
