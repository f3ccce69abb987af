// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_SUBSET_PRECONDITIONER_H_
#define CERES_INTERNAL_NORMAL_SUBSET_PRECONDITIONER_H_

#include <memory>
#include <vector>

#include "ceres/normal/cgnr_solver.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {

// The SUBSET preconditioner of CGNR: with J cut by rows into P over Q, it
// applies (Q'Q + D'D)^-1 by a sparse Cholesky factorization. A good choice of Q
// is a spanning subgraph whose normal equations factor with little fill: the
// damped eigenvalues of the product with J'J + D'D are then all at least one,
// and as many are larger as P adds to Q (Dellaert, Carlson, Ila, Ni, Thorpe,
// Subgraph-preconditioned conjugate gradients for large scale SLAM, IROS 2010).
//
// Q'Q is gathered straight from the row blocks of J (normal_equations.h).
//
// `rows`: the row blocks of Q, ascending. What they do not determine the
// damping must. `structure` is read at construction only.
std::unique_ptr<NormalPreconditioner> CreateSubsetPreconditioner(
    const SparseCholesky::Options& options, const Execution& execution,
    const BlockJacobianStructure& structure, const std::vector<int>& rows);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_SUBSET_PRECONDITIONER_H_
