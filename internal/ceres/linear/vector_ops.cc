// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/vector_ops.h"

#include <algorithm>
#include <cmath>

#include "ceres/internal/eigen.h"

namespace ceres::internal {
namespace {

// The fewest entries in a block of a sum: what a thread adds in some 2 us.
constexpr int kMinDotBlock = 8192;

// Arguments by value, because a store to z could change what a closure holds.
void AxpbySerial(int n, double a, const double* x, double b, const double* y,
                 double* z) {
  // Without the check for overlaps: z may be x or y, but not shifted.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
  for (int i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}

}  // namespace

void SetZero(const Execution& exec, int n, double* x) {
  ParallelFor(
      exec, 0, n,
      [x](IndexRange range) {
        std::fill_n(x + range.begin, range.size(), 0.0);
      },
      kMinVectorPiece);
}

void Copy(const Execution& exec, int n, const double* x, double* y) {
  if (x == y) return;
  ParallelFor(
      exec, 0, n,
      [x, y](IndexRange range) {
        std::copy_n(x + range.begin, range.size(), y + range.begin);
      },
      kMinVectorPiece);
}

void Axpby(const Execution& exec, int n, double a, const double* x, double b,
           const double* y, double* z) {
  ParallelFor(
      exec, 0, n,
      [a, x, b, y, z](IndexRange range) {
        AxpbySerial(range.size(), a, x + range.begin, b, y + range.begin,
                    z + range.begin);
      },
      kMinVectorPiece);
}

double Dot(const Execution& exec, int n, const double* x, const double* y) {
  return ParallelReduce(
      exec, 0, n, 0.0,
      [x, y](IndexRange range) {
        const int size = range.size();
        return ConstVectorRef(x + range.begin, size)
            .dot(ConstVectorRef(y + range.begin, size));
      },
      [](double sum, double block) { return sum + block; }, kMinDotBlock);
}

double Norm(const Execution& exec, int n, const double* x) {
  return std::sqrt(ParallelReduce(
      exec, 0, n, 0.0,
      [x](IndexRange range) {
        return ConstVectorRef(x + range.begin, range.size()).squaredNorm();
      },
      [](double sum, double block) { return sum + block; }, kMinDotBlock));
}

}  // namespace ceres::internal
