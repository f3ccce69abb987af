// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_NORMAL_PATTERN_H_
#define CERES_INTERNAL_SPARSE_NORMAL_PATTERN_H_

#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The structure of J'J: block (a, b) is stored if a row block of J has both
// column blocks. `cells` are those of the structure; the second form finds
// them. Time is proportional to the sum of squared row lengths.
BlockSymmetricStructure NormalPattern(const BlockJacobianStructure& structure,
                                      const CellsByColumn& cells);
BlockSymmetricStructure NormalPattern(const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_NORMAL_PATTERN_H_
