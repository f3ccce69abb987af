// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_CLUSTER_PRECONDITIONER_H_
#define CERES_INTERNAL_SCHUR_CLUSTER_PRECONDITIONER_H_

#include <memory>

#include "ceres/schur/schur_preconditioner.h"
#include "ceres/sparse/sparse_cholesky.h"
#include "ceres/types.h"

namespace ceres::internal {

// Creates a visibility based preconditioner (Kushal and Agarwal, Visibility
// based preconditioning for bundle adjustment, CVPR 2012). The remaining
// blocks, the "views", are cut into clusters of views that see the same points
// (view_clusters.h). The preconditioner M has the blocks (i, j) of S where the
// views i and j are
//
// clang-format off
//   CLUSTER_JACOBI        in one cluster
//   CLUSTER_TRIDIAGONAL   in one cluster, or in clusters that are neighbours on a
//                         heavy path of the graph of clusters, whose weights are
//                         similarities
// clang-format on
//
// and zeros elsewhere. No other block of S is formed. The connected parts of M,
// clusters or paths of clusters, are factored by sparse Cholesky factorizations
// and solved in parallel.
//
// A block diagonal M is positive definite because S is. A part of a tridiagonal
// M may be indefinite. Then the blocks between its clusters are halved: this
// part is a sum of halves of principal submatrices of S, one for each pair of
// neighbours and one for each end of a path (section 4 of the paper).
//
// type: CLUSTER_JACOBI or CLUSTER_TRIDIAGONAL. `plan` must outlive the result.
// If its matrix() is kRemainingBlocks, its diagonal() must be kNone and the
// eliminator must keep U. Not thread-safe.
std::unique_ptr<SchurPreconditioner> CreateClusterPreconditioner(
    PreconditionerType type, VisibilityClusteringType clustering,
    const SparseCholesky::Options& options, const Execution& execution,
    const SchurPlan& plan);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_CLUSTER_PRECONDITIONER_H_
