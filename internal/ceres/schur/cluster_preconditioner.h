// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_CLUSTER_PRECONDITIONER_H_
#define CERES_INTERNAL_SCHUR_CLUSTER_PRECONDITIONER_H_

#include <memory>

#include "ceres/schur/schur_preconditioner.h"
#include "ceres/sparse/sparse_cholesky.h"
#include "ceres/types.h"

namespace ceres::internal {

// Visibility based preconditioners (Kushal and Agarwal, Visibility based
// preconditioning for bundle adjustment, CVPR 2012): the remaining blocks
// ("views") are put into clusters of views that see the same points, and the
// preconditioner M has those blocks of S whose views are
//
//   CLUSTER_JACOBI        in one cluster
//   CLUSTER_TRIDIAGONAL   in one cluster, or in neighbours on one of the heavy
//                         paths through the graph of clusters, whose weights
//                         are the similarity of what they see
//
// and zeros elsewhere. Nothing else of S is formed. The parts of M that are not
// connected (clusters, or paths of them) are factored and solved in parallel,
// by a sparse Cholesky factorization each.
//
// A block diagonal M is positive definite as S is. With neighbours it need not
// be. Then the blocks between clusters are halved, in the parts where it is
// not: M is a sum of halves of principal submatrices of S, one for each pair of
// neighbours, and one for each free end of a path (section 4 of the paper).
//
// type: CLUSTER_JACOBI or CLUSTER_TRIDIAGONAL. `plan` must outlive it; where it
// is one of kRemainingBlocks, its diagonal is kNone, and the eliminator must
// keep U.
std::unique_ptr<SchurPreconditioner> CreateClusterPreconditioner(
    PreconditionerType type, VisibilityClusteringType clustering,
    const SparseCholesky::Options& options, const Execution& execution,
    const SchurPlan& plan);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_CLUSTER_PRECONDITIONER_H_
