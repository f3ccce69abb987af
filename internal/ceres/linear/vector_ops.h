// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_VECTOR_OPS_H_
#define CERES_INTERNAL_LINEAR_VECTOR_OPS_H_

#include "ceres/execution/execution.h"

// Vector operations on the threads of an Execution. A vector is a contiguous
// array of n entries. Two arguments may be the same vector, but may not overlap
// in part. Results have the same bits for every number of threads. At no length
// is an operation slower than a serial loop.

namespace ceres::internal {

// x = 0
void SetZero(const Execution& exec, int n, double* x);

// y = x
void Copy(const Execution& exec, int n, const double* x, double* y);

// z = a x + b y. z may be x or y.
void Axpby(const Execution& exec, int n, double a, const double* x, double b,
           const double* y, double* z);

// x' y. The blocks of the sum depend on n alone.
double Dot(const Execution& exec, int n, const double* x, const double* y);

// sqrt(x' x)
double Norm(const Execution& exec, int n, const double* x);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_VECTOR_OPS_H_
