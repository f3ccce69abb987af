// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_BACKENDS_H_
#define CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_BACKENDS_H_

#include <memory>
#include <string>

#include "ceres/internal/config.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {

// The implementations of SparseCholesky. Parameters are those of
// SparseCholesky::Create.

#ifndef CERES_NO_SUITESPARSE
// CHOLMOD, which chooses a supernodal or a simplicial factorization (Chen,
// Davis, Hager and Rajamanickam, ACM Transactions on Mathematical Software 35,
// 2008).
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

// The multifrontal factorization of this library (native_cholesky.h), in double
// or in float, on the threads of the execution.
std::unique_ptr<SparseCholesky> CreateNativeCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group,
    SolveWorkspace* workspace);

// Iterative refinement: x := x + M^-1 (b - A x), `num_iterations` times. A is
// given by its blocks; M^-1 is a solve with `cholesky`, whose factor may be in
// single precision.
std::unique_ptr<SparseCholesky> CreateRefiningCholesky(
    std::unique_ptr<SparseCholesky> cholesky, int num_iterations,
    const BlockSymmetricStructure& structure);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_SPARSE_CHOLESKY_BACKENDS_H_
