// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_CHOLESKY_KERNELS_H_
#define CERES_INTERNAL_KERNELS_CHOLESKY_KERNELS_H_

namespace ceres::internal::kernels {

// The result of CholeskyFactorize for a positive definite matrix.
inline constexpr int kPositiveDefinite = -1;

// A = L L' in place, for a symmetric n x n matrix whose lower triangle is
// stored COLUMN-major in `a`. The upper triangle is neither read nor written.
// Returns kPositiveDefinite, or the index of the first pivot that is not a
// positive number; the columns before this pivot then hold L.
//
// Panels (Golub and Van Loan, Matrix Computations, 4th edition, 4.2.9), n^3 / 3
// operations. Runs the best instruction set of the machine. The result depends
// on the input and the instruction set, not on alignment. Thread-safe.
int CholeskyFactorize(int n, double* a);
int CholeskyFactorize(int n, float* a);

// x := (L L')^-1 x with L from CholeskyFactorize. 2 n^2 operations.
void CholeskySolve(int n, const double* a, double* x);
void CholeskySolve(int n, const float* a, float* x);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_CHOLESKY_KERNELS_H_
