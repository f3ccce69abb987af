// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_SUBSET_PRECONDITIONER_H_
#define CERES_INTERNAL_NORMAL_SUBSET_PRECONDITIONER_H_

#include <memory>
#include <vector>

#include "ceres/normal/cgnr_solver.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {

// Creates the SUBSET preconditioner of CGNR. With J cut by rows into P and Q,
// it applies (Q'Q + D'D)^-1 by a sparse Cholesky factorization. A good Q is a
// spanning subgraph whose normal equations factor with little fill. The
// eigenvalues of the preconditioned matrix are then at least one, and at most
// as many exceed one as P has rows (Dellaert, Carlson, Ila, Ni, Thorpe,
// Subgraph-preconditioned conjugate gradients for large scale SLAM, IROS 2010).
//
// NormalEquations gathers Q'Q from the row blocks of J.
//
// rows: the row blocks of Q, ascending. The damping must determine the columns
// that these do not. `structure` is read during construction only.
std::unique_ptr<NormalPreconditioner> CreateSubsetPreconditioner(
    const SparseCholesky::Options& options, const Execution& execution,
    const BlockJacobianStructure& structure, const std::vector<int>& rows);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_SUBSET_PRECONDITIONER_H_
