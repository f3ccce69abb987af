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
        const int size = range.size();
        VectorRef(z + range.begin, size) =
            a * ConstVectorRef(x + range.begin, size) +
            b * ConstVectorRef(y + range.begin, size);
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
  return std::sqrt(Dot(exec, n, x, x));
}

}  // namespace ceres::internal
