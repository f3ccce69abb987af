// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_VECTOR_OPS_H_
#define CERES_INTERNAL_LINEAR_VECTOR_OPS_H_

#include "Eigen/Core"
#include "ceres/execution/execution.h"
#include "ceres/execution/loops.h"

// Vector operations on all threads of an Execution. Vectors have n entries, are
// contiguous, and may coincide entirely but not overlap in part. Results have
// the same bits for every number of threads, and none of these is slower than
// its serial form, at any length.

namespace ceres::internal {

// The fewest entries worth a piece of their own: 8 KiB.
inline constexpr int kMinVectorPiece = 1024;

// Shorter vectors are the caller's alone: an operation reads and writes at most
// 200 kB of the cache, which takes one thread 2 us and saves nothing with two.
inline constexpr int kMinSharedVector = 8192;
// Setting to zero only writes, and what fits into the second-level cache of one
// core it writes alone in 0.9 to 1.2 of the time that two need (2^15 to 2^18
// entries); from 2^19 on, two need 0.7 and less of the time of one.
inline constexpr int kMinSharedZeros = 48 * kMinSharedVector;

// x = 0
void SetZero(const Execution& exec, int n, double* x);

// y = x
void Copy(const Execution& exec, int n, const double* x, double* y);

// z = a x + b y. z may be x or y.
void Axpby(const Execution& exec, int n, double a, const double* x, double b,
           const double* y, double* z);

// x' y. Summed in blocks that depend on n alone.
double Dot(const Execution& exec, int n, const double* x, const double* y);

// sqrt(x' x)
double Norm(const Execution& exec, int n, const double* x);

// lhs = rhs, where rhs is an expression of Eigen that computes each entry on
// its own, such as 2.0 * x + y.cwiseProduct(z). The sizes agree.
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

// The same operations on vectors of Eigen.
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
