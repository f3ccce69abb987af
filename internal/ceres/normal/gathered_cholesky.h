// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_GATHERED_CHOLESKY_H_
#define CERES_INTERNAL_NORMAL_GATHERED_CHOLESKY_H_

#include <memory>

#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Creates a solver of sparse normal equations that does not store J'J: each
// front of the native factorization gathers its own columns from the row
// blocks, right before it is factored (kernels/front_gather.h). A stored matrix
// would be written by block rows, and read in the order of elimination after it
// has left the cache.
//
// Returns null if another solver is needed: the library is not NATIVE_SPARSE in
// double without refinement, an ordering failed, or row blocks and column
// blocks are not all of size 3, or all of size 6. `structure` must outlive the
// solver.
std::unique_ptr<LinearSolver> CreateGatheredCholeskySolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_GATHERED_CHOLESKY_H_
