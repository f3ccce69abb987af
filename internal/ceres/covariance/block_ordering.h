// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_BLOCK_ORDERING_H_
#define CERES_INTERNAL_COVARIANCE_BLOCK_ORDERING_H_

#include <string>
#include <vector>

#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/types.h"

namespace ceres::internal {

// The pattern of J'J, block by block. It has no value_offset.
BlockSymmetricStructure NormalPattern(const BlockJacobianStructure& structure);

// The order in which to eliminate the column blocks of J so that the R of a QR
// factorization stays sparse: approximate minimum degree on the graph of J'J,
// whose Cholesky factor has the pattern of R'. Returns an empty order if the
// library fails; `message` says why. CHECKs that the library is SUITE_SPARSE,
// EIGEN_SPARSE or NATIVE_SPARSE and part of the build.
std::vector<int> EliminationOrder(SparseLinearAlgebraLibraryType library,
                                  const BlockSymmetricStructure& normal_pattern,
                                  std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_BLOCK_ORDERING_H_
