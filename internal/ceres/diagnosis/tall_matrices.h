// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_TALL_MATRICES_H_
#define CERES_INTERNAL_DIAGNOSIS_TALL_MATRICES_H_

#include "Eigen/Core"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// Matrices with many rows and few columns: several vectors, whose entries i are
// row i. Sums over rows are added up in blocks of rows, so that the bits do not
// depend on the number of threads.
using RowMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A'B.
Eigen::MatrixXd InnerProducts(const Execution& execution,
                              const RowMajorMatrix& a, const RowMajorMatrix& b);

// R of A = Q R, with as many rows as columns. It has the singular values and
// the right singular vectors of A.
//
// Method: Cholesky factorization of D^-1 A'A D^-1, D = the norms of the
// columns. The error of each entry of R D^-1 is of the order of eps / (the
// smallest pivot), as that of a Householder factorization is for columns that
// are clearly independent; others are factored by Householder reflections.
// Source: Demmel and Veselic, Jacobi's method is more accurate than QR, SIAM J.
// Matrix Anal. Appl. 13, 1992, for the role of the scaled matrix.
Eigen::MatrixXd TriangularFactor(const Execution& execution,
                                 const RowMajorMatrix& a);
// R of (A B).
Eigen::MatrixXd TriangularFactor(const Execution& execution,
                                 const RowMajorMatrix& a,
                                 const RowMajorMatrix& b);

// A <- an orthonormal basis whose first k columns span the first k columns of
// A, for each k; of dependent columns, any. A <- A R^-1, twice (Yamamoto et
// al., Roundoff error analysis of the CholeskyQR2 algorithm, ETNA 44, 2015), or
// Householder reflections.
void MakeOrthonormal(const Execution& execution, RowMajorMatrix* a);

// A <- A - B M, A <- A M.
void SubtractProduct(const Execution& execution, const RowMajorMatrix& b,
                     const Eigen::MatrixXd& m, RowMajorMatrix* a);
void MultiplyBy(const Execution& execution, const Eigen::MatrixXd& m,
                RowMajorMatrix* a);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_TALL_MATRICES_H_
