// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_BACKENDS_H_
#define CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_BACKENDS_H_

#include <memory>
#include <string>

#include "ceres/internal/config.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {

// What SparseCholesky::Create chooses from; parameters as there.

#ifndef CERES_NO_SUITESPARSE
// CHOLMOD, supernodal or simplicial as it finds better (Chen, Davis, Hager and
// Rajamanickam, ACM Transactions on Mathematical Software 35, 2008).
std::unique_ptr<SparseCholesky> CreateCholmodCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group);
#endif

#ifdef CERES_USE_EIGEN_SPARSE
// Eigen's simplicial LL', in double or in float.
std::unique_ptr<SparseCholesky> CreateEigenSparseCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group);
#endif

// Our own multifrontal factorization, in double or in float, on the execution's
// threads.
std::unique_ptr<SparseCholesky> CreateNativeCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group);

// x := x + A^-1 (b - A x), `num_iterations` times, A given by its blocks and
// the inverse by a cholesky whose factor may be less precise.
std::unique_ptr<SparseCholesky> CreateRefiningCholesky(
    std::unique_ptr<SparseCholesky> cholesky, int num_iterations,
    const BlockSymmetricStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_BACKENDS_H_
