// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_GATHERED_CHOLESKY_H_
#define CERES_INTERNAL_NORMAL_GATHERED_CHOLESKY_H_

#include <memory>

#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// Sparse normal equations whose matrix exists nowhere but in the fronts of the
// native factorization, each of which gathers its own columns from the row
// blocks when it is to be factored (kernels/front_gather.h). A matrix in
// between would be written by block rows, and read in the order of elimination,
// from another cache.
//
// Null where another solver is needed: not NATIVE_SPARSE in double without
// refinement, an ordering that failed, or a Jacobian whose rows and column
// blocks are not all of size 3, or 6. `structure` must outlive the solver.
std::unique_ptr<LinearSolver> CreateGatheredCholeskySolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_GATHERED_CHOLESKY_H_
