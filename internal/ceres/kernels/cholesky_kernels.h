// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_CHOLESKY_KERNELS_H_
#define CERES_INTERNAL_KERNELS_CHOLESKY_KERNELS_H_

namespace ceres::internal::kernels {

// What CholeskyFactorize returns for a positive definite matrix.
inline constexpr int kPositiveDefinite = -1;

// A = L L' in place, for the symmetric n x n matrix whose lower triangle is
// stored COLUMN-major in `a`; the upper triangle is neither read nor written.
// Returns kPositiveDefinite, or the index of the first pivot that is not a
// positive number; then the triangle holds the factorization up to there.
//
// By panels (Golub and Van Loan, Matrix Computations, 4th edition, 4.2.9),
// n^3 / 3 operations, in the widest vectors that the CPU has. For one CPU the
// result depends on the input alone, not on alignment.
int CholeskyFactorize(int n, double* a);
int CholeskyFactorize(int n, float* a);

// x := (L L')^-1 x with L from CholeskyFactorize. 2 n^2 operations.
void CholeskySolve(int n, const double* a, double* x);
void CholeskySolve(int n, const float* a, float* x);

// The plain twins: textbook loops, the reference for tests and CPUs to come.
int CholeskyFactorizePlain(int n, double* a);
void CholeskySolvePlain(int n, const double* a, double* x);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_CHOLESKY_KERNELS_H_
