// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_VECTOR_OPS_H_
#define CERES_INTERNAL_LINEAR_VECTOR_OPS_H_

#include "Eigen/Core"
#include "ceres/execution/execution.h"
#include "ceres/execution/loops.h"
#include "ceres/linear/linear_tuning.h"

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

// lhs = rhs for a coefficient-wise expression of Eigen, such as
// 2.0 * x + y.cwiseProduct(z), of the same size.
template <typename Lhs, typename Rhs>
void Assign(const Execution& exec, Eigen::MatrixBase<Lhs>& lhs,
            const Eigen::MatrixBase<Rhs>& rhs) {
  static_assert(Lhs::IsVectorAtCompileTime && Rhs::IsVectorAtCompileTime,
                "Assign is for vectors");
  const int n = static_cast<int>(lhs.size());
  if (exec.IsSerial() || n < kMinSharedVector) {
    lhs.derived() = rhs.derived();
    return;
  }
  ParallelFor(
      exec, 0, n,
      [&lhs, &rhs](IndexRange range) {
        lhs.derived().segment(range.begin, range.size()) =
            rhs.derived().segment(range.begin, range.size());
      },
      kMinVectorPiece);
}

// SetZero, Dot and Norm for vectors of Eigen.
template <typename X>
void SetZero(const Execution& exec, Eigen::PlainObjectBase<X>& x) {
  SetZero(exec, static_cast<int>(x.size()), x.data());
}

template <typename X, typename Y>
double Dot(const Execution& exec, const Eigen::PlainObjectBase<X>& x,
           const Eigen::PlainObjectBase<Y>& y) {
  return Dot(exec, static_cast<int>(x.size()), x.data(), y.data());
}

template <typename X>
double Norm(const Execution& exec, const Eigen::PlainObjectBase<X>& x) {
  return Norm(exec, static_cast<int>(x.size()), x.data());
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_VECTOR_OPS_H_
