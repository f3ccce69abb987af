// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_DENSE_TEST_UTILS_H_
#define CERES_INTERNAL_LINEAR_DENSE_TEST_UTILS_H_

// Dense reference computations for tests. Decompositions of Eigen take seconds
// to compile: here they are compiled once.

#include "Eigen/Core"

namespace ceres::internal {

// Whether a Cholesky factorization succeeds.
bool IsPositiveDefinite(const Eigen::MatrixXd& a);

// A^-1 of any regular A, and A^-1 B of a symmetric positive definite A.
Eigen::MatrixXd DenseInverse(const Eigen::MatrixXd& a);
Eigen::MatrixXd SolveDense(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

// argmin |A x - b| by a rank-revealing QR factorization.
Eigen::VectorXd DenseLeastSquares(const Eigen::MatrixXd& a,
                                  const Eigen::VectorXd& b);

// Eigenvalues: of a symmetric A, ascending; of any A, in any order.
Eigen::VectorXd SymmetricEigenvalues(const Eigen::MatrixXd& a);
Eigen::VectorXcd DenseEigenvalues(const Eigen::MatrixXd& a);

// The orthogonal factor of A's QR factorization, with as many columns as rows.
Eigen::MatrixXd OrthogonalFactor(const Eigen::MatrixXd& a);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_DENSE_TEST_UTILS_H_
