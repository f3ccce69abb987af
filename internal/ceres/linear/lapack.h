// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_LAPACK_H_
#define CERES_INTERNAL_LINEAR_LAPACK_H_

#include "ceres/internal/config.h"

#ifndef CERES_NO_LAPACK

// Declarations of the LAPACK and BLAS routines that this library calls.
// Matrices are column-major. See the LAPACK Users' Guide, 3rd edition.
extern "C" {
// C = alpha op(A) op(B) + beta C, C being m x n and op(A) m x k; op: 'N' or
// 'T'.
void dgemm_(const char* op_a, const char* op_b, const int* m, const int* n,
            const int* k, const double* alpha, const double* a, const int* lda,
            const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
// A = L L' (uplo 'L') in place; info > 0: the leading minor of that order is
// not positive definite.
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda,
             int* info);
// Solves with the factor, in place of b.
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a,
             const int* lda, double* b, const int* ldb, int* info);
// dpotrf_ and dpotrs_ in single precision.
void spotrf_(const char* uplo, const int* n, float* a, const int* lda,
             int* info);
void spotrs_(const char* uplo, const int* n, const int* nrhs, const float* a,
             const int* lda, float* b, const int* ldb, int* info);
// A = Q R in place. lwork == -1: the best length of `work` is returned in it.
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau,
             double* work, const int* lwork, int* info);
}

#endif  // CERES_NO_LAPACK

#endif  // CERES_INTERNAL_LINEAR_LAPACK_H_
