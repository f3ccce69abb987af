// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/vector_ops.h"

#include <algorithm>
#include <cmath>

#include "ceres/execution/loops.h"
#include "ceres/internal/eigen.h"
#include "ceres/linear/linear_tuning.h"

namespace ceres::internal {
namespace {

// The work of one thread. Eight entries in a turn, so that the loops' own
// instructions, and their alignment in memory, do not count.
using Lanes = Eigen::Array<double, 8, 1>;
using LanesRef = Eigen::Map<Lanes>;
using ConstLanesRef = Eigen::Map<const Lanes>;

void AxpbySerial(int n, double a, const double* x, double b, const double* y,
                 double* z) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    LanesRef(z + i) = a * ConstLanesRef(x + i) + b * ConstLanesRef(y + i);
  }
  for (; i < n; ++i) z[i] = a * x[i] + b * y[i];
}

// memmove is 6 % slower where the first cache is just full.
void CopySerial(int n, const double* x, double* y) {
  int i = 0;
  for (; i + 8 <= n; i += 8) LanesRef(y + i) = ConstLanesRef(x + i);
  for (; i < n; ++i) y[i] = x[i];
}

// Eight sums side by side: one alone would wait for each addition to end before
// it begins the next.
double DotSerial(int n, const double* x, const double* y) {
  Lanes sums = Lanes::Zero();
  int i = 0;
  for (; i + 8 <= n; i += 8)
    sums += ConstLanesRef(x + i) * ConstLanesRef(y + i);
  double sum = sums.sum();
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// As DotSerial(n, x, x), with one load less for each product.
double SquaredNormSerial(int n, const double* x) {
  if (n < 8) {  // what the rest would do, without preparing for more
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
  }
  Lanes sums = Lanes::Zero();
  int i = 0;
  for (; i + 8 <= n; i += 8) sums += ConstLanesRef(x + i).square();
  double sum = sums.sum();
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

double Add(double sum, double block) { return sum + block; }

}  // namespace

void SetZero(const Execution& exec, int n, double* x) {
  if (n < kMinSharedZeros) {
    std::fill_n(x, std::max(n, 0), 0.0);
    return;
  }
  ParallelFor(
      exec, 0, n,
      [x](IndexRange range) {
        std::fill_n(x + range.begin, range.size(), 0.0);
      },
      kMinVectorPiece);
}

void Copy(const Execution& exec, int n, const double* x, double* y) {
  if (x == y) return;
  if (n < kMinSharedVector) {
    CopySerial(n, x, y);
    return;
  }
  ParallelFor(
      exec, 0, n,
      [x, y](IndexRange range) {
        std::copy_n(x + range.begin, range.size(), y + range.begin);
      },
      kMinVectorPiece);
}

void Axpby(const Execution& exec, int n, double a, const double* x, double b,
           const double* y, double* z) {
  if (n < kMinSharedVector) {
    AxpbySerial(n, a, x, b, y, z);
    return;
  }
  ParallelFor(
      exec, 0, n,
      [a, x, b, y, z](IndexRange range) {
        AxpbySerial(range.size(), a, x + range.begin, b, y + range.begin,
                    z + range.begin);
      },
      kMinVectorPiece);
}

double Dot(const Execution& exec, int n, const double* x, const double* y) {
  // One block: what the reduction would do.
  if (n < 2 * kMinDotBlock) return DotSerial(n, x, y);
  return ParallelReduce(
      exec, 0, n, 0.0,
      [x, y](IndexRange range) {
        return DotSerial(range.size(), x + range.begin, y + range.begin);
      },
      Add, kMinDotBlock);
}

double Norm(const Execution& exec, int n, const double* x) {
  if (n < 2 * kMinDotBlock) return std::sqrt(SquaredNormSerial(n, x));
  return std::sqrt(ParallelReduce(
      exec, 0, n, 0.0,
      [x](IndexRange range) {
        return SquaredNormSerial(range.size(), x + range.begin);
      },
      Add, kMinDotBlock));
}

}  // namespace ceres::internal
